// Looking at events, and reserving tickets.
import { call, get, list, session } from './api.js';
import { field, form, h, say } from './dom.js';
import { clock, date, number, t } from './words.js';

const pageSize = 12;

export const picture = (id, version = '') => h('img', { src: `/api/events/${id}/image${version}`, alt: '', loading: 'lazy' });

const left = (event) => {
  const n = event.capacity - event.current_resv;
  return h('span', { class: n > 0 ? 'badge' : 'badge gone' }, n > 0 ? t('left', number(n)) : t('soldOut'));
};

const card = (event) =>
  h('a', { class: 'card', href: `#/events/${event.id}` },
    picture(event.id),
    h('strong', {}, event.event_name),
    h('span', {}, t('by', event.artist_name)),
    h('span', { class: 'faint' }, `${date(event.start_at)}, ${event.venue_name}`),
    h('span', { class: 'row' }, t('yen', number(event.price)), left(event)));

// eventsPage shows what is to come, of one artist or of all.
export async function eventsPage(artist) {
  const path = (offset) => `/events?limit=${pageSize}&offset=${offset}${artist ? `&user_id=${artist}` : ''}`;
  let events = await list(path(0));
  let last = events.length < pageSize;

  const cards = h('div', { class: 'cards' });
  const search = h('input', { type: 'search', placeholder: t('find'), title: t('findHint'), oninput: () => draw() });
  const more = h('button', { class: 'quiet', onclick: async () => {
    more.disabled = true;
    try {
      const next = await list(path(events.length));
      events = events.concat(next);
      last = next.length < pageSize;
    } catch {
      say(t('broken'), 'bad');
    }
    more.disabled = false;
    draw();
  } }, t('more'));

  function draw() {
    const wanted = search.value.trim().toLowerCase();
    const found = events.filter((e) => `${e.event_name}\n${e.artist_name}\n${e.venue_name}`.toLowerCase().includes(wanted));
    cards.replaceChildren(...found.map(card));
    if (found.length === 0) cards.append(h('p', { class: 'empty' }, t(events.length ? 'nothingFound' : 'noEvents')));
    more.hidden = last;
  }
  draw();
  return h('section', {},
    h('div', { class: 'heading' },
      h('h1', {}, artist && events.length ? t('onlyArtist', events[0].artist_name) : t('upcoming')),
      artist && h('a', { href: '#/' }, t('allArtists')),
      search),
    cards, more);
}

// eventPage shows one event and what one may do with it.
export async function eventPage(id) {
  const event = await get(`/events/${id}`);
  const who = session();
  const mayEdit = who?.role === 'owner' || (who?.role === 'artist' && who.id === event.artist_id);
  const mayReserve = who?.role === 'audience' && event.current_resv < event.capacity;
  return h('article', { class: 'event' },
    picture(id, `?${Date.now()}`),
    h('div', {},
      h('h1', {}, event.event_name),
      h('p', {}, h('a', { href: `#/artists/${event.artist_id}` }, t('by', event.artist_name))),
      h('p', {}, `${date(event.start_at)}, ${clock(event.start_at)}–${clock(event.end_at)} UTC`),
      h('p', {}, event.venue_name),
      h('p', { class: 'row' }, t('yen', number(event.price)), left(event)),
      mayReserve && reserveForm(event),
      !who && h('a', { href: '#/login' }, t('loginToReserve')),
      mayEdit && h('p', { class: 'row' },
        h('a', { href: `#/events/${id}/edit` }, t('edit')),
        h('a', { href: `#/events/${id}/reservations` }, t('reservationsOf', event.event_name)))));
}

const reserveForm = (event) =>
  form({ class: 'row', id: 'reserve' }, [
    field(t('tickets'), h('input', { name: 'n', type: 'number', min: 1, max: event.capacity - event.current_resv, value: 1, required: true })),
    h('button', {}, t('reserve')),
  ], async (data) => {
    await call('POST', `/events/${event.id}/reservations`, { num_of_resv: Number(data.get('n')) });
    say(t('reserved', data.get('n')));
    location.hash = '#/reservations';
  }, { 409: t('notReserved') });
