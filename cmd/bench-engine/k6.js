// The same work for k6. The harness gives TARGET, CASE, USERS, DURATION and
// what there is to find, in the environment.
import http from 'k6/http';
import { Counter } from 'k6/metrics';

const checked = __ENV.CASE === '10KB-scanned' || __ENV.CASE === '10KB-memoised';
const expected = JSON.parse(__ENV.EXPECTED);

export const options = {
  vus: Number(__ENV.USERS),
  duration: __ENV.DURATION,
  discardResponseBodies: !checked,
  thresholds: {},
};

const errors = new Counter('errors_seen');
const wrong = new Counter('wrong_seen');

export default function () {
  let path = '/' + __ENV.CASE;
  let n = 0;
  if (__ENV.CASE === '10KB-scanned') {
    n = Math.floor(Math.random() * expected.pages);
    path = '/scanned/' + n + '.html';
  }
  const res = http.get(__ENV.TARGET + path, { tags: { name: __ENV.CASE } });
  if (res.status !== 200) {
    errors.add(1);
    return;
  }
  if (!checked) {
    return;
  }
  const doc = res.html();
  const posts = doc.find(expected.post);
  const right = posts.size() === expected.posts &&
    posts.first().attr('id') === 'post_' + (100000 + n * expected.posts) &&
    doc.find(expected.image).size() === expected.images &&
    doc.find(expected.asset).size() === expected.assets;
  if (!right) {
    wrong.add(1);
  }
}

export function handleSummary(data) {
  const count = (name) => (data.metrics[name] ? data.metrics[name].values.count : 0);
  return {
    stdout: JSON.stringify({ requests: count('http_reqs'), errors: count('errors_seen'), wrong: count('wrong_seen') }) + '\n',
  };
}
