// Announcing events and changing them.
import { call, get, list } from './api.js';
import { complain, field, form, h, say } from './dom.js';
import { picture } from './events.js';
import { clock, date, t } from './words.js';

const venuePage = 50;
const ahead = 60; // days

// local is a time as an input of type datetime-local has it, and utc the way back.
const local = (time) => time.slice(0, 16);
const utc = (text, seconds) => `${text}:${seconds}Z`;

const reasons = { 400: t('refusedEvent'), 409: t('slotGone') };

// fields are what new and changed events have in common.
function fields(genres, event) {
  return [
    field(t('eventName'), h('input', { name: 'event_name', required: true, value: event?.event_name })),
    field(t('genre'), h('select', { name: 'event_genre_id' },
      genres.map((g) => h('option', { value: g.id, selected: g.id === event?.event_genre_id }, g.name)))),
    field(t('price'), h('input', { name: 'price', type: 'number', min: 1, required: true, value: event?.price ?? 1000 })),
  ];
}

// draft is the body that the API wants.
const draft = (data, slots) => ({
  event_name: data.get('event_name'),
  event_genre_id: Number(data.get('event_genre_id')),
  price: Number(data.get('price')),
  timeslot_ids: slots,
  start_at: utc(data.get('start'), '00'),
  end_at: utc(data.get('end'), data.get('end').endsWith(':59') ? '59' : '00'),
});

const times = (start, end) => [
  field(t('start'), h('input', { name: 'start', type: 'datetime-local', required: true, value: start && local(start) })),
  field(t('end'), h('input', { name: 'end', type: 'datetime-local', required: true, value: end && local(end) })),
];

export async function newPage() {
  const [genres, venues] = await Promise.all([get('/genres'), list(`/venues?limit=${venuePage}`)]);
  const choice = h('select', { name: 'venue', onchange: () => showSlots().catch(complain) });
  const addVenues = (some) => choice.append(...some.map((v) => h('option', { value: v.id }, t('venueLabel', v.name, v.capacity))));
  addVenues(venues);
  const moreVenues = h('button', { type: 'button', class: 'quiet', onclick: async () => {
    try {
      const next = await list(`/venues?limit=${venuePage}&offset=${choice.length}`);
      addVenues(next);
      moreVenues.hidden = next.length < venuePage;
    } catch (error) {
      complain(error);
    }
  } }, t('moreVenues'));
  const slotList = h('fieldset');
  const [start, end] = times();
  let slots = [];

  async function showSlots() {
    const now = new Date();
    const until = new Date(now.getTime() + ahead * 24 * 3600 * 1000);
    const text = (at) => at.toISOString().replace(/\.\d+/, '');
    slots = await list(`/venues/${choice.value}/timeslots?from=${text(now)}&to=${text(until)}`);
    slotList.replaceChildren(h('legend', {}, t('timeslots')), ...slots.map((s) =>
      h('label', { class: 'slot' },
        h('input', { type: 'checkbox', name: 'slot', value: s.id, onchange: fitTimes }),
        h('span', {}, `${date(s.start_at)} ${clock(s.start_at)}–${clock(s.end_at)}`))));
    if (slots.length === 0) slotList.append(h('p', { class: 'empty' }, t('noSlots')));
  }

  // fitTimes proposes all of what was chosen.
  function fitTimes() {
    const chosen = slots.filter((s) => slotList.querySelector(`[value="${s.id}"]`).checked);
    if (chosen.length === 0) return;
    const sorted = chosen.toSorted((a, b) => a.start_at.localeCompare(b.start_at));
    start.querySelector('input').value = local(sorted[0].start_at);
    end.querySelector('input').value = local(sorted.at(-1).end_at);
  }

  await showSlots();
  return h('section', { class: 'narrow' },
    h('h1', {}, t('newEvent')),
    form({ class: 'stack', id: 'event' }, [fields(genres), field(t('venue'), choice), moreVenues, slotList, start, end, h('button', {}, t('save'))],
      async (data) => {
        const ids = data.getAll('slot').map(Number);
        if (ids.length === 0) {
          say(t('pickSlots'), 'bad');
          return;
        }
        const made = await call('POST', '/events', draft(data, ids));
        say(t('saved'));
        location.hash = `#/events/${made.id}/edit`; // where a picture can be added
      }, reasons));
}

export async function editPage(id) {
  const [event, genres] = await Promise.all([get(`/events/${id}`), get('/genres')]);
  const shown = h('div', {}, picture(id, `?${Date.now()}`));
  return h('section', { class: 'narrow' },
    h('h1', {}, t('editEvent', event.event_name)),
    shown,
    form({ class: 'row', id: 'image' }, [
      field(t('picture'), h('input', { name: 'image', type: 'file', accept: 'image/png', required: true })),
      h('button', {}, t('upload')),
    ], async (data) => {
      await call('PUT', `/events/${id}/image`, data);
      shown.replaceChildren(picture(id, `?${Date.now()}`));
      say(t('uploaded'));
    }, { 400: t('notPNG') }),
    form({ class: 'stack', id: 'event' }, [fields(genres, event), times(event.start_at, event.end_at), h('button', {}, t('save'))],
      async (data) => {
        await call('PUT', `/events/${id}`, draft(data, event.timeslot_ids));
        say(t('saved'));
        location.hash = `#/events/${id}`;
      }, reasons));
}
