// What pages are built from.
import { t } from './words.js';

// h makes an element. Strings become text, never markup; functions become listeners.
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (typeof value === 'function') element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

// say shows a message for a while, in place of the last; a failure stays longer.
export function say(text, kind = 'good') {
  const message = h('div', { class: `message ${kind}` }, text);
  document.getElementById('messages').replaceChildren(message);
  setTimeout(() => message.remove(), kind === 'bad' ? 8000 : 4000);
}

// reasons are what a failed call means, by status; others mean the same everywhere.
export function complain(error, reasons = {}) {
  const general = { 401: t('needLogin'), 403: t('forbidden'), 404: t('notFound') };
  say(reasons[error.status] ?? general[error.status] ?? t('broken'), 'bad');
}

// form makes a form that does its work once at a time and says why it failed.
export function form(attributes, children, work, reasons) {
  const element = h('form', { ...attributes, onsubmit: async (event) => {
    event.preventDefault();
    const button = element.querySelector('button:not([type=button])');
    button.disabled = true;
    try {
      await work(new FormData(element));
    } catch (error) {
      complain(error, reasons);
    } finally {
      button.disabled = false;
    }
  } }, children);
  return element;
}

export const field = (label, input) => h('label', {}, h('span', {}, label), input);

// sure asks before what cannot be undone.
export function sure(question, action) {
  return new Promise((resolve) => {
    const dialog = h('dialog', {},
      h('p', {}, question),
      h('form', { method: 'dialog', class: 'row end' },
        h('button', { class: 'quiet', value: '' }, '×'),
        h('button', { class: 'danger', value: 'yes' }, action)));
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(dialog.returnValue === 'yes');
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}
