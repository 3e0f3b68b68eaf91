// The operator's page: all tenants, and what each owes.
import { ApiError, get, post } from './api.js';
import { busily, h, heading, name, say, table } from './dom.js';
import { count, t } from './words.js';

// pageSize is the most that the app sends at once.
const pageSize = 10;

export function tenantsPage() {
  const list = h('section', { class: 'card', id: 'tenants' });
  // The first page is not waited for: it may take its time, and a tenant can be added meanwhile.
  const reload = async () => {
    list.setAttribute('aria-busy', 'true');
    list.replaceChildren(h('p', { class: 'loading' }, t('slow')));
    try {
      const { tenants } = await get('/api/admin/tenants/billing');
      const rows = tenantTable(tenants);
      list.replaceChildren(rows, ...moreButton(tenants, rows));
    } catch (error) {
      list.replaceChildren(h('p', { class: 'empty' }, t('failed', error.status || t('offline'))));
      throw error;
    } finally {
      list.removeAttribute('aria-busy');
    }
  };
  reload();
  return h('div', {}, heading(t('tenants')), newTenantForm(reload), list);
}

function newTenantForm(reload) {
  const tenantName = h('input', {
    id: 'tenant-name', required: true, pattern: '[a-z][a-z0-9\\-]{0,61}[a-z0-9]', title: t('tenantNameHint'),
    placeholder: 'my-club', autocapitalize: 'off', spellcheck: 'false',
  });
  const displayName = h('input', { id: 'tenant-display-name', required: true });
  const button = h('button', {}, t('add'));
  return h('form', {
    class: 'card row', id: 'new-tenant',
    onsubmit: (event) => {
      event.preventDefault();
      busily(button, async () => {
        try {
          await post('/api/admin/tenants/add', { name: tenantName.value, display_name: displayName.value });
        } catch (error) {
          if (!(error instanceof ApiError) || error.status !== 400) throw error;
          say(t('tenantRefused'), 'bad');
          return;
        }
        say(t('added', displayName.value));
        event.target.reset();
        reload();
      });
    },
  },
  h('div', { class: 'field' }, h('label', { for: 'tenant-name' }, t('tenantName')), tenantName),
  h('div', { class: 'field' }, h('label', { for: 'tenant-display-name' }, t('displayName')), displayName),
  button);
}

function moreButton(tenants, rows) {
  if (tenants.length < pageSize) return [];
  let last = tenants.at(-1).id;
  const more = h('button', {
    class: 'quiet more', type: 'button',
    onclick: () => busily(more, async () => {
      const next = (await get(`/api/admin/tenants/billing?before=${last}`)).tenants;
      rows.tBodies[0].append(...(next.length > 0 ? tenantTable(next).tBodies[0].rows : []));
      if (next.length < pageSize) more.remove();
      else last = next.at(-1).id;
    }),
  }, t('more'));
  return [more];
}

function tenantTable(tenants) {
  return table([
    { title: t('id'), number: true, wide: true, cell: (tenant) => tenant.id },
    { title: t('displayName'), main: true, cell: (tenant) => h('a', { href: addressOf(tenant) }, name(tenant.display_name)) },
    { title: t('tenantName'), wide: true, cell: (tenant) => h('code', {}, tenant.name) },
    { title: t('yen'), number: true, cell: (tenant) => h('strong', {}, count(tenant.billing)) },
  ], tenants, { empty: t('noTenants') });
}

// addressOf puts the tenant's name where the operator's stands.
const addressOf = (tenant) => `//${location.host.replace(/^admin\./, `${tenant.name}.`)}/`;
