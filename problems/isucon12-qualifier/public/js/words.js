// Everything that is said to people, in English and in Japanese.

const words = {
  tagline: ['Score competitions for everyone', 'みんなのスコア競技プラットフォーム'],
  welcome: ['Welcome to {0}', '{0} へようこそ'],
  operatorWelcome: ['Operator of ISUPORTS', 'ISUPORTS 運営者ログイン'],
  operatorHint: ['Tenants and what they owe.', 'テナントと請求額を管理します。'],
  asPlayer: ['I play', '参加者の方'],
  asPlayerHint: ['Follow rankings and your own scores.', 'ランキングと自分のスコアを確認できます。'],
  asOrganizer: ['I organize', '主催者の方'],
  asOrganizerHint: ['Competitions, players, score sheets, bills.', '大会、参加者、スコア、請求を管理します。'],
  playerID: ['Player ID', '参加者 ID'],
  loginPlayer: ['Log in', 'ログイン'],
  loginOrganizer: ['Log in as organizer', '主催者としてログイン'],
  loginAdmin: ['Log in as operator', '運営者としてログイン'],
  logout: ['Log out', 'ログアウト'],
  unknownPlayer: ['{0} is no player here.', '{0} という参加者はいません。'],
  needLogin: ['Please log in for this page.', 'このページを見るにはログインしてください。'],
  noTenant: ['Nobody holds competitions under this address.', 'このアドレスで大会を開いている主催者はいません。'],
  notFound: ['There is nothing here.', 'ページが見つかりません。'],
  home: ['Back to the start', 'トップへ戻る'],
  language: ['日本語', 'English'],

  competitions: ['Competitions', '大会一覧'],
  players: ['Players', '参加者'],
  billing: ['Billing', '請求'],
  tenants: ['Tenants', 'テナント'],
  myPage: ['My page', 'マイページ'],

  competition: ['Competition', '大会'],
  state: ['State', '状態'],
  running: ['running', '開催中'],
  finished: ['finished', '終了'],
  noCompetitions: ['No competition yet.', 'まだ大会がありません。'],

  ranking: ['Ranking', 'ランキング'],
  rank: ['Rank', '順位'],
  player: ['Player', '参加者'],
  score: ['Score', 'スコア'],
  you: ['you', 'あなた'],
  refresh: ['Refresh', '更新'],
  more: ['Show more', 'さらに表示'],
  noRanks: ['No scores yet. They appear as soon as the organizer uploads a sheet.', 'まだスコアがありません。主催者がスコアを登録すると表示されます。'],
  scores: ['Scores', 'スコア'],
  noScores: ['No scores yet.', 'まだスコアがありません。'],
  id: ['ID', 'ID'],
  name: ['Name', '名前'],
  nameless: ['(no name)', '（名前なし）'],
  disqualified: ['disqualified', '失格'],
  qualified: ['qualified', '参加中'],
  refused: ['You have been disqualified.', '失格になったため、閲覧できません。'],

  newCompetition: ['New competition', '大会を追加'],
  title: ['Title', '大会名'],
  add: ['Add', '追加'],
  added: ['Added: {0}', '追加しました：{0}'],
  uploadScores: ['Upload scores', 'スコア登録'],
  uploaded: ['{0}: {1} rows accepted', '{0}：{1} 行を登録しました'],
  sheetRefused: ['The sheet was refused and nothing was changed. It begins with the line player_id,score; each player must exist, each score is a whole number.',
    'スコアを登録できませんでした（元のスコアはそのままです）。1行目は player_id,score とし、登録済みの参加者 ID と整数のスコアを書いてください。'],
  sheetTooLate: ['This competition is finished; its scores are final.', 'この大会は終了しているため、スコアを変更できません。'],
  finish: ['Finish', '終了する'],
  finishSure: ['Finish “{0}”? Its scores become final and the bill is made out.', '「{0}」を終了しますか？　スコアが確定し、請求額が決まります。'],
  finishDone: ['Finished: {0}', '終了しました：{0}'],
  template: ['Sheet with all players', '全参加者の CSV ひな型'],
  sheetHint: ['A score sheet is a CSV file with the columns player_id and score. It replaces the one before it; if a player is in it twice, the lower row counts.',
    'スコアは player_id と score の2列からなる CSV で登録します。登録するたびに、以前のスコアはすべて置き換わります。同じ参加者が複数回現れる場合は、下の行が有効です。'],

  newPlayers: ['New players', '参加者を追加'],
  namesHint: ['One name per line', '1行に1人ずつ名前を入力'],
  addedPlayers: ['{0} players added', '{0} 人を追加しました'],
  find: ['Find by name or ID', '名前または ID で検索'],
  disqualify: ['Disqualify', '失格にする'],
  disqualifySure: ['Disqualify {0}? This cannot be undone.', '{0} を失格にしますか？　取り消すことはできません。'],
  disqualifyDone: ['Disqualified: {0}', '失格にしました：{0}'],
  noPlayers: ['No player yet.', 'まだ参加者がいません。'],
  nobodyFound: ['Nobody is called that.', '該当する参加者がいません。'],
  countOf: ['{0} of {1}', '{1} 人中 {0} 人を表示'],

  total: ['Total', '合計'],
  visitors: ['Visitors', '閲覧者'],
  playersYen: ['Players, ¥', '参加者分（円）'],
  visitorsYen: ['Visitors, ¥', '閲覧者分（円）'],
  yen: ['Billed, ¥', '請求額（円）'],
  billingHint: ['¥100 for each player with a score, ¥10 for each player who only looked at the ranking before the finish. Running competitions cost nothing yet.',
    'スコアのある参加者1人につき100円、スコアはないものの終了までにランキングを閲覧した参加者1人につき10円です。開催中の大会はまだ請求されません。'],

  newTenant: ['New tenant', 'テナントを追加'],
  tenantName: ['Name in the address', 'アドレスに使う名前'],
  tenantNameHint: ['2–63 characters: a–z, 0–9, hyphens; a letter first', '2〜63文字の英小文字・数字・ハイフン（先頭は英字）'],
  displayName: ['Display name', '表示名'],
  tenantRefused: ['That name is taken or not allowed.', 'その名前は使用済みか、使えない名前です。'],
  noTenants: ['No tenant yet.', 'まだテナントがありません。'],
  slow: ['Adding up the bills. This may take a while …', '請求額を集計しています。しばらくかかることがあります…'],
  loading: ['Loading …', '読み込み中…'],
  cancel: ['Cancel', 'キャンセル'],
  failed: ['That did not work ({0}). Try again.', '処理に失敗しました（{0}）。もう一度お試しください。'],
  offline: ['no answer', '応答なし'],
};

const storageKey = 'isuports-language';

function stored() {
  try {
    return localStorage.getItem(storageKey);
  } catch {
    return null; // storage may be forbidden
  }
}

export const language = ['en', 'ja'].includes(stored())
  ? stored()
  : navigator.language.startsWith('ja') ? 'ja' : 'en';

export function switchLanguage() {
  try {
    localStorage.setItem(storageKey, language === 'ja' ? 'en' : 'ja');
  } catch {
    return;
  }
  location.reload();
}

// t is the text for a key, with {0}, {1} … replaced.
export const t = (key, ...values) =>
  words[key][language === 'ja' ? 1 : 0].replace(/\{(\d)\}/g, (_, i) => values[i]);

const numbers = new Intl.NumberFormat(language);
export const count = (n) => numbers.format(n);
