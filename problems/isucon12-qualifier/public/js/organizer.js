// The pages of a tenant's organizer: competitions, players, billing.
import { ApiError, get, part, post } from './api.js';
import { badge, busily, h, heading, name, say, state, sure, table } from './dom.js';
import { count, t } from './words.js';

export async function competitionsPage() {
  const { competitions } = await get('/api/organizer/competitions');
  const list = h('section', { class: 'card', id: 'competitions' });
  const draw = (now) => list.replaceChildren(competitionTable(now, reload));
  const reload = async () => draw((await get('/api/organizer/competitions')).competitions);
  draw(competitions);

  const title = h('input', { id: 'title', name: 'title', required: true });
  const button = h('button', {}, t('add'));
  const template = h('button', { class: 'quiet', type: 'button', onclick: () => busily(template, saveTemplate) }, t('template'));
  return h('div', {},
    heading(t('competitions'), template),
    h('form', {
      class: 'card row', id: 'new-competition',
      onsubmit: (event) => {
        event.preventDefault();
        busily(button, async () => {
          await post('/api/organizer/competitions/add', { title: title.value });
          say(t('added', title.value));
          title.value = '';
          await reload();
        });
      },
    }, h('label', { for: 'title' }, t('newCompetition')), title, button),
    list,
    h('p', { class: 'hint' }, t('sheetHint')));
}

function competitionTable(competitions, reload) {
  return table([
    { title: t('competition'), main: true, cell: (c) => h('span', {}, name(c.title), h('code', { class: 'wide' }, c.id), h('span', { class: 'narrow' }, state(c))) },
    { title: t('state'), wide: true, cell: state },
    { title: '', cell: (c) => (c.is_finished ? '' : h('div', { class: 'row end' }, uploadButton(c), finishButton(c, reload))) },
  ], competitions, { empty: t('noCompetitions') });
}

function uploadButton(competition) {
  const file = h('input', { type: 'file', accept: '.csv,text/csv', hidden: true, 'data-competition': competition.id });
  const button = h('button', { type: 'button', onclick: () => file.click() }, t('uploadScores'));
  file.addEventListener('change', () => busily(button, async () => {
    const form = new FormData();
    form.append('scores', file.files[0]);
    file.value = ''; // the same file again is a change, too
    try {
      const { rows } = await post(`/api/organizer/competition/${part(competition.id)}/score`, form);
      say(t('uploaded', competition.title, count(rows)));
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 400) throw error;
      say(error.reason === 'competition is finished' ? t('sheetTooLate') : t('sheetRefused'), 'bad');
    }
  }));
  return h('span', {}, file, button);
}

function finishButton(competition, reload) {
  const button = h('button', {
    class: 'danger', type: 'button',
    onclick: async () => {
      if (!await sure(t('finishSure', competition.title), t('finish'))) return;
      await busily(button, async () => {
        await post(`/api/organizer/competition/${part(competition.id)}/finish`);
        say(t('finishDone', competition.title));
        await reload();
      });
    },
  }, t('finish'));
  return button;
}

// saveTemplate gives the organizer a sheet with everybody who is qualified and no points.
async function saveTemplate() {
  const { players } = await get('/api/organizer/players');
  const rows = (players ?? []).filter((player) => !player.is_disqualified).map((player) => `${player.id},0`);
  const url = URL.createObjectURL(new Blob([['player_id,score', ...rows].join('\n')], { type: 'text/csv' }));
  h('a', { href: url, download: 'scores.csv' }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

export async function playersPage() {
  let players = (await get('/api/organizer/players')).players ?? [];
  const find = h('input', { type: 'search', placeholder: t('find'), 'aria-label': t('find'), oninput: () => draw() });
  const shown = h('span', { class: 'faint' });
  const list = h('section', { class: 'card', id: 'players' });
  const draw = () => {
    const wanted = find.value.trim().toLowerCase();
    const found = players.filter((p) => p.display_name.toLowerCase().includes(wanted) || p.id.includes(wanted));
    shown.textContent = t('countOf', count(found.length), count(players.length));
    list.replaceChildren(h('div', { class: 'row' }, find, shown), playerTable(found, reload, players.length > 0));
  };
  const reload = async () => {
    players = (await get('/api/organizer/players')).players ?? [];
    draw();
  };
  draw();

  const names = h('textarea', { id: 'names', rows: 3, required: true, placeholder: t('namesHint') });
  const button = h('button', {}, t('add'));
  return h('div', {},
    heading(t('players')),
    h('form', {
      class: 'card row', id: 'new-players',
      onsubmit: (event) => {
        event.preventDefault();
        const lines = names.value.split('\n').map((line) => line.trim()).filter((line) => line !== '');
        busily(button, async () => {
          const added = await post('/api/organizer/players/add', lines.map((line) => ['display_name[]', line]));
          say(t('addedPlayers', count(added.players.length)));
          names.value = '';
          await reload();
        });
      },
    }, h('label', { for: 'names' }, t('newPlayers')), names, button),
    list);
}

function playerTable(players, reload, anybody) {
  const disqualify = (player) => {
    const button = h('button', {
      class: 'danger', type: 'button',
      onclick: async () => {
        if (!await sure(t('disqualifySure', player.display_name || player.id), t('disqualify'))) return;
        await busily(button, async () => {
          await post(`/api/organizer/player/${part(player.id)}/disqualified`);
          say(t('disqualifyDone', player.display_name || player.id));
          await reload();
        });
      },
    }, t('disqualify'));
    return button;
  };
  return table([
    { title: t('name'), main: true, cell: (p) => name(p.display_name) },
    { title: t('id'), wide: true, cell: (p) => h('code', {}, p.id) },
    { title: t('state'), wide: true, cell: (p) => (p.is_disqualified ? badge(t('disqualified'), 'out') : badge(t('qualified'), 'live')) },
    { title: '', cell: (p) => h('div', { class: 'row end' }, p.is_disqualified ? h('span', { class: 'narrow' }, badge(t('disqualified'), 'out')) : disqualify(p)) },
  ], players, { empty: anybody ? t('nobodyFound') : t('noPlayers') });
}

export async function billingPage() {
  const { reports } = await get('/api/organizer/billing');
  const total = reports.reduce((sum, report) => sum + report.billing_yen, 0);
  return h('div', {},
    heading(t('billing'), h('strong', { class: 'total' }, `${t('total')} ¥${count(total)}`)),
    h('section', { class: 'card', id: 'billing' }, table([
      { title: t('competition'), main: true, cell: (r) => name(r.competition_title) },
      { title: t('players'), number: true, wide: true, cell: (r) => count(r.player_count) },
      { title: t('playersYen'), number: true, wide: true, cell: (r) => count(r.billing_player_yen) },
      { title: t('visitors'), number: true, wide: true, cell: (r) => count(r.visitor_count) },
      { title: t('visitorsYen'), number: true, wide: true, cell: (r) => count(r.billing_visitor_yen) },
      { title: t('yen'), number: true, cell: (r) => h('strong', {}, count(r.billing_yen)) },
    ], reports, { empty: t('noCompetitions') })),
    h('p', { class: 'hint' }, t('billingHint')));
}
