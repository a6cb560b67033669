/** A user. */
export interface Person {
  readonly account: string;
  readonly password: string;
}

/**
 * Acts as a user in a browser: opens the authorization URL, signs in, and is redirected to the client.
 *
 * @param onRequest receives method, URL without query, and status of every request
 * @returns the redirect URI with its parameters; it is not requested
 * @throws Error for an unexpected page, such as the page for a wrong password
 */
export async function signIn(
  authorizationUrl: URL,
  { account, password }: Person,
  onRequest: (line: string) => void = () => {},
): Promise<URL> {
  const cookies = new Map<string, string>();
  let url = authorizationUrl;
  let form: URLSearchParams | undefined;
  for (let pages = 0; pages < 10; pages += 1) {
    if (url.origin !== authorizationUrl.origin) return url;
    const headers = { cookie: [...cookies].map((pair) => pair.join('=')).join('; ') };
    const response = await fetch(url, { redirect: 'manual', headers, ...(form && { method: 'POST', body: form }) });
    onRequest(`${form ? 'POST' : 'GET'} ${url.origin}${url.pathname} ${response.status}`);
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get('location');
    if (location !== null) {
      [url, form] = [new URL(location, url), undefined];
    } else {
      if (response.status !== 200 || form) throw new Error(`sign-in failed with ${response.status}`);
      form = new URLSearchParams({ account, password });
    }
  }
  throw new Error('sign-in does not end');
}
