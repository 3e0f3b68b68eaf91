// Which page is shown to whom.
import { ApiError, get, logout } from './api.js';
import { h, say } from './dom.js';
import { language, switchLanguage, t } from './words.js';
import { loginPage } from './login.js';
import { tenantsPage } from './operator.js';
import { billingPage, competitionsPage, playersPage } from './organizer.js';
import { myPage, playerPage, rankingPage } from './player.js';

// Pages by path and by the role that may see them. A page is a function that
// promises an element; what the path's groups match are its arguments.
const routes = [
  { path: /^\/mypage$/, role: 'player', page: myPage },
  { path: /^\/competition\/([^/]+)$/, role: 'player', page: rankingPage },
  { path: /^\/player\/([^/]+)$/, role: 'player', page: playerPage },
  { path: /^\/organizer\/competitions$/, role: 'organizer', page: competitionsPage },
  { path: /^\/organizer\/players$/, role: 'organizer', page: playersPage },
  { path: /^\/organizer\/billing$/, role: 'organizer', page: billingPage },
  { path: /^\/admin\/$/, role: 'admin', page: tenantsPage },
];

const homes = { player: '/mypage', organizer: '/organizer/competitions', admin: '/admin/' };

const menus = {
  player: [['/mypage', 'myPage']],
  organizer: [['/organizer/competitions', 'competitions'], ['/organizer/players', 'players'], ['/organizer/billing', 'billing']],
  admin: [['/admin/', 'tenants']],
  none: [],
};

const root = document.getElementById('app');
let session; // what /api/me says
let showing = 0; // counts calls of show: an answer that comes too late is not shown

export function go(path) {
  history.pushState(null, '', path);
  return show();
}

async function show(note) {
  const mine = ++showing;
  const shortened = /^\/(organizer|admin)$/.exec(location.pathname);
  if (shortened) history.replaceState(null, '', homes[shortened[1]]);
  const main = h('main', { 'aria-busy': 'true' }, h('p', { class: 'loading' }, t('loading')));
  try {
    session ??= await get('/api/me');
    if (mine !== showing) return;
    root.replaceChildren(header(), main);
    const content = await page(note);
    if (mine === showing) main.replaceChildren(content);
  } catch (error) {
    if (mine !== showing) return;
    if (error.status === 401 && session?.logged_in) { // the login has run out
      session = undefined;
      return show(t('needLogin'));
    }
    root.replaceChildren(header(), main);
    main.replaceChildren(problem(error));
  }
  main.removeAttribute('aria-busy');
}

async function page(note) {
  const path = location.pathname;
  document.title = session.tenant.name === 'admin' ? 'ISUPORTS' : `${session.tenant.display_name} – ISUPORTS`;
  if (path === '/') {
    if (!session.logged_in) return loginPage(session.tenant, entered, note);
    history.replaceState(null, '', homes[session.role]);
    return show();
  }
  for (const route of routes) {
    const match = route.path.exec(path);
    if (!match) continue;
    if (session.role !== route.role) return loginPage(session.tenant, entered, note ?? t('needLogin'));
    return route.page(session, ...match.slice(1).map(decodeURIComponent));
  }
  throw new ApiError(404);
}

// entered is called when the login service has set a cookie.
async function entered(role, playerID) {
  session = await get('/api/me');
  if (session.logged_in && session.role === role) {
    return go(location.pathname === '/' ? homes[role] : location.pathname);
  }
  await logout();
  session = await get('/api/me');
  return show(t('unknownPlayer', playerID));
}

async function leave() {
  await logout();
  session = undefined;
  return go('/');
}

function header() {
  const role = session?.logged_in ? session.role : 'none';
  return h('header', {},
    h('div', { class: 'bar' },
      h('a', { class: 'brand', href: '/', 'aria-label': 'ISUPORTS' }, h('span', { class: 'logo' })),
      session && h('span', { class: 'tenant' }, session.tenant.name === 'admin' ? '' : session.tenant.display_name),
      h('div', { class: 'tools' },
        h('button', { class: 'link', type: 'button', onclick: switchLanguage, lang: language === 'ja' ? 'en' : 'ja' }, t('language')),
        role !== 'none' && h('button', { class: 'link', type: 'button', id: 'logout', onclick: leave }, t('logout')))),
    menus[role].length > 0 && h('nav', {}, menus[role].map(([path, key]) =>
      h('a', { href: path, 'aria-current': location.pathname === path && 'page' }, t(key)))));
}

function problem(error) {
  const text = !(error instanceof ApiError) ? String(error)
    : !session && [401, 500].includes(error.status) ? t('noTenant')
      : error.status === 404 ? t('notFound')
        : error.status === 403 ? t('refused')
          : t('failed', error.status || t('offline'));
  if (!(error instanceof ApiError)) console.error(error);
  return h('section', { class: 'card lonely' }, h('p', {}, text), h('p', {}, h('a', { href: '/' }, t('home'))));
}

// Links within the site change the page without loading it anew.
document.addEventListener('click', (event) => {
  const link = event.target.closest('a[href^="/"]:not([href^="//"])');
  if (!link || event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return;
  event.preventDefault();
  go(link.getAttribute('href'));
  scrollTo(0, 0);
});

window.addEventListener('popstate', () => show());

// What a button's work throws ends here.
window.addEventListener('unhandledrejection', (event) => {
  if (!(event.reason instanceof ApiError)) return;
  event.preventDefault();
  say(t('failed', event.reason.status || t('offline')), 'bad');
});

document.documentElement.lang = language;
show();
