// What pages are built from.
import { t } from './words.js';

// h makes an element. Strings become text, never markup; functions become listeners.
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (typeof value === 'function') element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

// say shows a message for a while, in place of the last; a failure stays longer.
export function say(text, kind = 'good') {
  const message = h('div', { class: `message ${kind}` }, text);
  document.getElementById('messages').replaceChildren(message);
  setTimeout(() => message.remove(), kind === 'bad' ? 8000 : 4000);
}

// busily runs a button's work and keeps it from being pressed again meanwhile.
export async function busily(button, work) {
  button.disabled = true;
  button.setAttribute('aria-busy', 'true');
  try {
    return await work();
  } finally {
    button.disabled = false;
    button.removeAttribute('aria-busy');
  }
}

// sure asks before what cannot be undone.
export function sure(question, action) {
  return new Promise((resolve) => {
    const dialog = h('dialog', { class: 'card' },
      h('p', {}, question),
      h('form', { method: 'dialog', class: 'row end' },
        h('button', { class: 'quiet', value: '' }, t('cancel')),
        h('button', { class: 'danger', value: 'yes' }, action)));
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(dialog.returnValue === 'yes');
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}

// table makes a table of columns {title, cell, number, wide, main} from rows.
// Columns that are only for wide screens are left out on narrow ones.
export function table(columns, rows, { empty, rowClass } = {}) {
  if (rows.length === 0) return h('p', { class: 'empty' }, empty);
  const kind = (column) => [column.number && 'number', column.wide && 'wide', column.main && 'main'].filter(Boolean).join(' ') || undefined;
  return h('table', {},
    h('thead', {}, h('tr', {}, columns.map((column) => h('th', { scope: 'col', class: kind(column) }, column.title)))),
    h('tbody', {}, rows.map((row) => h('tr', { class: rowClass?.(row) },
      columns.map((column) => h('td', { class: kind(column) }, column.cell(row)))))));
}

export function heading(title, ...beside) {
  return h('div', { class: 'heading' }, h('h1', {}, title), ...beside);
}

export const badge = (text, kind) => h('span', { class: `badge ${kind}` }, text);

// name shows what people are called; some have no name at all.
export const name = (text) => (text === '' ? h('span', { class: 'faint' }, t('nameless')) : text);

// state tells a running competition from a finished one.
export const state = (competition) =>
  competition.is_finished ? badge(t('finished'), 'done') : badge(t('running'), 'live');
