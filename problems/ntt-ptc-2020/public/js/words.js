// Everything that is said to people, in English and in Japanese.

const words = {
  events: ['Events', 'イベント'],
  upcoming: ['Upcoming events', '開催予定のイベント'],
  find: ['Find by name, artist or venue', '名前・アーティスト・会場で探す'],
  findHint: ['searches the events shown below', '下に表示中のイベントから探します'],
  onlyArtist: ['All events of {0}', '{0} のイベント一覧'],
  allArtists: ['Show all artists', 'すべてのアーティストを表示'],
  more: ['Show more', 'もっと見る'],
  noEvents: ['There are no events.', 'イベントはありません。'],
  nothingFound: ['Nothing here goes by that name.', '見つかりませんでした。'],
  left: ['{0} tickets left', '残り {0} 枚'],
  soldOut: ['Sold out', '完売'],
  yen: ['¥{0}', '{0} 円'],
  by: ['by {0}', '出演：{0}'],
  genre: ['Genre', 'ジャンル'],

  login: ['Log in', 'ログイン'],
  logout: ['Log out', 'ログアウト'],
  signup: ['Sign up', '新規登録'],
  username: ['Name', 'ユーザー名'],
  password: ['Password', 'パスワード'],
  role: ['I am', '登録の種類'],
  audience: ['audience', '観客'],
  artist: ['artist', 'アーティスト'],
  owner: ['owner', '運営者'],
  noAccount: ['No account yet?', 'アカウントをお持ちでない方'],
  badLogin: ['Name or password is wrong.', 'ユーザー名またはパスワードが違います。'],
  nameTaken: ['Somebody has this name already.', 'このユーザー名は使われています。'],
  needLogin: ['Please log in first.', 'ログインしてください。'],
  loginToReserve: ['Log in to reserve', 'ログインして予約する'],
  hello: ['Welcome, {0}', 'ようこそ、{0} さん'],

  tickets: ['Tickets', '枚数'],
  reserve: ['Reserve', '予約する'],
  reserved: ['{0} tickets are reserved for you.', '{0} 枚を予約しました。'],
  notReserved: ['Not reserved: either too few tickets are left, or you have a reservation already.',
    '予約できませんでした。残りの枚数が足りないか、すでに予約しています。'],
  myReservations: ['My reservations', '予約一覧'],
  reservationsOf: ['Reservations for {0}', '{0} の予約一覧'],
  noReservations: ['There are no reservations.', '予約はありません。'],
  cancelIt: ['Cancel', '取り消す'],
  sureCancel: ['Cancel this reservation?', 'この予約を取り消しますか？'],
  cancelled: ['The reservation is cancelled.', '予約を取り消しました。'],

  newEvent: ['New event', 'イベントを作る'],
  editEvent: ['Change {0}', '{0} を編集'],
  edit: ['Change', '編集'],
  eventName: ['Name of the event', 'イベント名'],
  price: ['Price in yen', '価格（円）'],
  venue: ['Venue', '会場'],
  venueLabel: ['{0} ({1} places)', '{0}（定員 {1} 名）'],
  moreVenues: ['More venues', 'ほかの会場'],
  timeslots: ['Timeslots (one, or both of a day)', 'タイムスロット（1つ、または同じ日の2つ）'],
  noSlots: ['This venue is not free within the next 60 days.', 'この会場は今後60日間、空きがありません。'],
  start: ['Begins (UTC)', '開始（UTC）'],
  end: ['Ends (UTC)', '終了（UTC）'],
  save: ['Save', '保存'],
  saved: ['Saved.', '保存しました。'],
  pickSlots: ['Choose a timeslot first.', 'タイムスロットを選んでください。'],
  slotGone: ['Somebody was faster: the timeslot is taken.', 'そのタイムスロットは先に取られました。'],
  refusedEvent: ['This cannot be: an event lies within its timeslots, which follow one another on one day.',
    '保存できません。タイムスロットは同じ日の連続した枠とし、開催時間はその中に収めてください。'],
  picture: ['Picture (PNG)', '画像（PNG）'],
  upload: ['Upload', 'アップロード'],
  uploaded: ['The picture is there.', '画像を登録しました。'],
  notPNG: ['This is no PNG.', 'PNG 画像ではありません。'],

  notFound: ['There is nothing here.', 'ページが見つかりません。'],
  forbidden: ['This is not for you.', 'このページを見る権限がありません。'],
  broken: ['The server could not answer. Try again.', 'サーバーが応答できませんでした。もう一度お試しください。'],
  home: ['To the events', 'イベント一覧へ'],
  language: ['日本語', 'English'],
};

export const language = localStorage.getItem('language') ?? (navigator.language.startsWith('ja') ? 'ja' : 'en');

export function setLanguage(code) {
  localStorage.setItem('language', code);
  location.reload();
}

// t says something; {0}, {1} … stand for what else is given.
export function t(key, ...values) {
  const text = words[key][language === 'ja' ? 1 : 0];
  return text.replace(/\{(\d)\}/g, (_, i) => values[i]);
}

// date names the day of a time, and clock the time of the day. Both are UTC, as
// everything here: the venues' half days begin at midnight and noon of it.
export const date = (time) => window.calendar?.[time.slice(0, 10)]?.[language] ?? time.slice(0, 10);
export const clock = (time) => time.slice(11, 16);

export const number = (n) => n.toLocaleString(language);
