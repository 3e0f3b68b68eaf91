// The API of the app, and who is logged in.

// ApiError is an answer other than success; status is 0 if there was none.
export class ApiError extends Error {
  constructor(status, message = '') {
    super(message || `HTTP ${status}`);
    this.status = status;
  }
}

// session is who is logged in, or null.
export function session() {
  const token = localStorage.getItem('access_token');
  return token && { token, id: Number(localStorage.getItem('user_id')), role: localStorage.getItem('role'), name: localStorage.getItem('username') };
}

export function forget() {
  for (const key of ['access_token', 'user_id', 'role', 'username']) localStorage.removeItem(key);
}

// call sends a request: FormData as it is, everything else as JSON.
export async function call(method, path, body) {
  const headers = {};
  const who = session();
  if (who) headers.Authorization = `Bearer ${who.token}`;
  if (body !== undefined && !(body instanceof FormData)) {
    headers['Content-Type'] = 'application/json';
    body = JSON.stringify(body);
  }
  let response;
  try {
    response = await fetch(`/api${path}`, { method, headers, body, cache: 'no-store' });
  } catch {
    throw new ApiError(0);
  }
  const isJSON = (response.headers.get('Content-Type') ?? '').includes('json');
  const answer = isJSON ? await response.json().catch(() => null) : null;
  if (!response.ok) {
    if (response.status === 401 && path !== '/login') forget();
    throw new ApiError(response.status, answer?.message);
  }
  return answer;
}

export const get = (path) => call('GET', path);

// list is an answer that is a list; some servers say null for an empty one.
export const list = async (path) => (await get(path)) ?? [];

export async function login(username, password) {
  forget();
  const { user_id: id, access_token: token } = await call('POST', '/login', { username, password });
  localStorage.setItem('access_token', token);
  localStorage.setItem('user_id', id);
  const user = await get(`/users/${id}`);
  localStorage.setItem('role', user.role);
  localStorage.setItem('username', user.username);
}

export async function logout() {
  try {
    await call('POST', '/logout');
  } finally {
    forget();
  }
}
