// The pages of players: their own, rankings, and those of the others.
import { get, part } from './api.js';
import { badge, busily, h, heading, name, state, table } from './dom.js';
import { count, t } from './words.js';

export async function myPage(session) {
  const [{ player, scores }, { competitions }] = await Promise.all([
    get(`/api/player/player/${part(session.me.id)}`),
    get('/api/player/competitions'),
  ]);
  return h('div', {},
    person(player),
    h('div', { class: 'columns' },
      h('section', { class: 'card' }, h('h2', {}, t('competitions')), table([
        { title: t('competition'), main: true, cell: (c) => h('a', { href: `/competition/${part(c.id)}` }, name(c.title)) },
        { title: t('state'), cell: state },
      ], competitions, { empty: t('noCompetitions') })),
      h('section', { class: 'card' }, h('h2', {}, t('scores')), scoreTable(scores))));
}

export async function playerPage(_, id) {
  const { player, scores } = await get(`/api/player/player/${part(id)}`);
  return h('div', {}, person(player), h('section', { class: 'card' }, h('h2', {}, t('scores')), scoreTable(scores)));
}

function person(player) {
  return h('div', { class: 'heading' },
    h('h1', {}, name(player.display_name)),
    h('code', {}, player.id),
    player.is_disqualified && badge(t('disqualified'), 'out'));
}

function scoreTable(scores) {
  return table([
    { title: t('competition'), main: true, cell: (s) => name(s.competition_title) },
    { title: t('score'), number: true, cell: (s) => count(s.score) },
  ], scores, { empty: t('noScores') });
}

export async function rankingPage(session, id) {
  const path = `/api/player/competition/${part(id)}/ranking`;
  const first = await get(path);
  const section = h('section', { class: 'card', id: 'ranking' });
  const title = h('div', {});

  const draw = ({ competition, ranks }) => {
    const refresh = h('button', { class: 'quiet', type: 'button', onclick: () => busily(refresh, async () => draw(await get(path))) }, t('refresh'));
    title.replaceChildren(heading(name(competition.title), state(competition), refresh));
    const list = rankTable(session, ranks);
    section.replaceChildren(h('h2', {}, t('ranking')), list, ...moreButton(path, ranks, list, session));
  };
  draw(first);
  return h('div', {}, title, section);
}

// pageSize is the most that the app sends at once.
const pageSize = 100;

function moreButton(path, ranks, list, session) {
  if (ranks.length < pageSize) return [];
  let last = ranks.at(-1).rank;
  const more = h('button', {
    class: 'quiet more', type: 'button',
    onclick: () => busily(more, async () => {
      const next = (await get(`${path}?rank_after=${last}`)).ranks;
      list.tBodies[0].append(...(next.length > 0 ? rankTable(session, next).tBodies[0].rows : []));
      if (next.length < pageSize) more.remove();
      else last = next.at(-1).rank;
    }),
  }, t('more'));
  return [more];
}

function rankTable(session, ranks) {
  return table([
    { title: t('rank'), number: true, cell: (r) => h('span', { class: `rank rank-${r.rank}` }, count(r.rank)) },
    {
      title: t('player'), main: true,
      cell: (r) => h('span', {},
        h('a', { href: `/player/${part(r.player_id)}` }, name(r.player_display_name)),
        r.player_id === session.me.id && badge(t('you'), 'live')),
    },
    { title: t('score'), number: true, cell: (r) => count(r.score) },
  ], ranks, { empty: t('noRanks'), rowClass: (r) => (r.player_id === session.me.id ? 'mine' : undefined) });
}
