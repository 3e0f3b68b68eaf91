// Logging in, signing up, and reservations.
import { call, get, list, login, session } from './api.js';
import { complain, field, form, h, say, sure } from './dom.js';
import { clock, date, number, t } from './words.js';

const credentials = () => [
  field(t('username'), h('input', { name: 'username', autocomplete: 'username', required: true })),
  field(t('password'), h('input', { name: 'password', type: 'password', autocomplete: 'current-password', required: true })),
];

async function enter(data) {
  await login(data.get('username'), data.get('password'));
  say(t('hello', data.get('username')));
  location.hash = '#/';
}

export const loginPage = () =>
  h('section', { class: 'narrow' },
    h('h1', {}, t('login')),
    form({ class: 'stack', id: 'login' }, [credentials(), h('button', {}, t('login'))], enter, { 400: t('badLogin'), 401: t('badLogin') }),
    h('p', {}, t('noAccount'), ' ', h('a', { href: '#/signup' }, t('signup'))));

export const signupPage = () =>
  h('section', { class: 'narrow' },
    h('h1', {}, t('signup')),
    form({ class: 'stack', id: 'signup' }, [
      credentials(),
      field(t('role'), h('select', { name: 'role' },
        h('option', { value: 'audience' }, t('audience')),
        h('option', { value: 'artist' }, t('artist')))),
      h('button', {}, t('signup')),
    ], async (data) => {
      await call('POST', '/users', Object.fromEntries(data));
      await enter(data);
    }, { 409: t('nameTaken') }));

const pageSize = 20;

// reservationsPage lists one's own reservations or, given an event, all of that.
export async function reservationsPage(path, event) {
  const who = session();
  if (!who) return loginPage();
  const about = event && await get(`/events/${event}`);
  const mayCancel = who.role !== 'artist';
  const rows = h('div', { class: 'list' });
  const more = h('button', { class: 'quiet', onclick: () => load().catch(complain) }, t('more'));

  const row = (r) => {
    const element = h('div', { class: 'line' },
      h('a', { href: `#/events/${r.event_id}` }, event ? r.username : r.event_name),
      h('span', { class: 'faint' }, `${date(r.event_start_at)} ${clock(r.event_start_at)} UTC, ${r.venue_name}`),
      h('span', {}, `${number(r.num_of_resv)} × ${t('yen', number(r.event_price))}`),
      mayCancel && h('button', { class: 'quiet', onclick: async () => {
        if (!await sure(t('sureCancel'), t('cancelIt'))) return;
        try {
          await call('DELETE', `/reservations/${r.id}`);
        } catch (error) {
          complain(error);
          return;
        }
        offset--; // those behind it have moved up
        element.remove();
        say(t('cancelled'));
      } }, t('cancelIt')));
    return element;
  };

  let offset = 0;
  async function load() {
    const next = await list(`${path}?limit=${pageSize}&offset=${offset}`);
    offset += next.length;
    rows.append(...next.map(row));
    more.hidden = next.length < pageSize;
  }
  await load();
  if (offset === 0) rows.append(h('p', { class: 'empty' }, t('noReservations')));
  return h('section', {}, h('h1', {}, about ? t('reservationsOf', about.event_name) : t('myReservations')), rows, more);
}
