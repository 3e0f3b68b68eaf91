// The page of those who are not logged in.
import { login } from './api.js';
import { busily, h } from './dom.js';
import { t } from './words.js';

// loginPage calls entered(role, playerID) when a login went through.
export function loginPage(tenant, entered, note) {
  const operator = tenant.name === 'admin';
  return h('section', { class: 'welcome' },
    h('div', { class: 'poster' },
      h('span', { class: 'logo large' }),
      h('h1', {}, operator ? t('operatorWelcome') : t('welcome', tenant.display_name)),
      h('p', {}, t('tagline'))),
    note && h('p', { class: 'note', role: 'alert' }, note),
    h('div', { class: 'doors' }, operator
      ? door('admin', t('operatorWelcome'), t('operatorHint'), t('loginAdmin'), entered)
      : [playerDoor(entered), door('organizer', t('asOrganizer'), t('asOrganizerHint'), t('loginOrganizer'), entered)]));
}

function playerDoor(entered) {
  const id = h('input', { id: 'player-id', name: 'id', required: true, autocomplete: 'username', autocapitalize: 'off', spellcheck: 'false' });
  const button = h('button', {}, t('loginPlayer'));
  return h('form', {
    class: 'card', id: 'login-player',
    onsubmit: (event) => {
      event.preventDefault();
      busily(button, async () => {
        await login('player', { id: id.value.trim() });
        await entered('player', id.value.trim());
      });
    },
  },
  h('h2', {}, t('asPlayer')), h('p', {}, t('asPlayerHint')),
  h('label', { for: 'player-id' }, t('playerID')), id, button);
}

function door(role, title, hint, action, entered) {
  const button = h('button', {
    type: 'button', id: `login-${role}`,
    onclick: () => busily(button, async () => {
      await login(role);
      await entered(role);
    }),
  }, action);
  return h('div', { class: 'card' }, h('h2', {}, title), h('p', {}, hint), button);
}
