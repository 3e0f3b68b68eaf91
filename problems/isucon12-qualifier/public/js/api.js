// The API of the app, and the login service beside it.

// ApiError is an answer other than success; status is 0 if there was none.
export class ApiError extends Error {
  constructor(status, message = '') {
    super(message || `HTTP ${status}`);
    this.status = status;
    this.reason = message;
  }
}

async function call(path, options) {
  let response;
  try {
    response = await fetch(path, { credentials: 'same-origin', cache: 'no-store', ...options });
  } catch {
    throw new ApiError(0);
  }
  const isJSON = (response.headers.get('Content-Type') ?? '').includes('json');
  const body = isJSON ? await response.json().catch(() => ({})) : {};
  if (!response.ok || (isJSON && !body.status)) {
    throw new ApiError(response.status, body.message);
  }
  return body.data;
}

export const get = (path) => call(path, { method: 'GET' });

// post sends pairs of names and values as a form, or FormData as it is.
export const post = (path, form = []) =>
  call(path, { method: 'POST', body: form instanceof FormData ? form : new URLSearchParams(form) });

export const part = encodeURIComponent;

export const login = (role, form) => post(`/auth/login/${role}`, form);
export const logout = () => post('/auth/logout');
