// Which page belongs to which address, and the line above all pages.
import { forget, logout, session } from './api.js';
import { loginPage, reservationsPage, signupPage } from './account.js';
import { complain, h } from './dom.js';
import { editPage, newPage } from './edit.js';
import { eventPage, eventsPage } from './events.js';
import { language, setLanguage, t } from './words.js';

const pages = [
  [/^#?\/?$/, () => eventsPage()],
  [/^#\/artists\/(\d+)$/, (id) => eventsPage(id)],
  [/^#\/events\/new$/, newPage],
  [/^#\/events\/(\d+)$/, eventPage],
  [/^#\/events\/(\d+)\/edit$/, editPage],
  [/^#\/events\/(\d+)\/reservations$/, (id) => reservationsPage(`/events/${id}/reservations`, id)],
  [/^#\/reservations$/, () => reservationsPage(`/users/${session()?.id}/reservations`)],
  [/^#\/login$/, loginPage],
  [/^#\/signup$/, signupPage],
];

function top() {
  const who = session();
  const link = (to, text) => h('a', { href: to, 'aria-current': location.hash === to && 'page' }, text);
  document.getElementById('top').replaceChildren(
    h('a', { class: 'brand', href: '#/' }, 'n+'),
    h('nav', {},
      link('#/', t('events')),
      who?.role === 'audience' && link('#/reservations', t('myReservations')),
      who?.role === 'artist' && link(`#/artists/${who.id}`, t('onlyArtist', who.name)),
      who?.role === 'artist' && link('#/events/new', t('newEvent'))),
    h('span', { class: 'who' },
      who ? h('span', {}, `${who.name} (${t(who.role)})`) : null,
      who ? h('button', { class: 'quiet', onclick: leave }, t('logout')) : link('#/login', t('login')),
      h('button', { class: 'quiet', onclick: () => setLanguage(language === 'ja' ? 'en' : 'ja') }, t('language'))));
}

async function leave() {
  try {
    await logout();
  } catch {
    forget(); // the token was none any more
  }
  location.hash = '#/';
  show();
}

// shown counts pages, so that a slow one does not replace what came after it.
let shown = 0;

async function show() {
  const turn = ++shown;
  const app = document.getElementById('app');
  top();
  app.setAttribute('aria-busy', 'true');
  let page;
  try {
    const found = pages.find(([address]) => address.test(location.hash));
    page = found ? await found[1](...location.hash.match(found[0]).slice(1)) : missing('notFound');
  } catch (error) {
    if (error.status === 401) {
      complain(error);
      page = loginPage();
    } else {
      page = missing({ 403: 'forbidden', 404: 'notFound' }[error.status] ?? 'broken');
    }
  }
  if (turn !== shown) return;
  top();
  app.replaceChildren(page);
  app.removeAttribute('aria-busy');
}

const missing = (why) => h('section', {}, h('p', { class: 'empty' }, t(why)), h('a', { href: '#/' }, t('home')));

document.documentElement.lang = language;
window.addEventListener('hashchange', show);
show();
