/** A user. */
export interface Person {
  readonly account: string;
  readonly password: string;
  /** The button that the user chooses on a page with several. Default: the first. */
  readonly decision?: string;
}

/** A browser of one user: it keeps cookies, and can run several sign-ins. */
export class Browser {
  readonly #person: Person;
  /** Cookies of each origin. */
  readonly #cookies = new Map<string, Map<string, string>>();
  readonly #onRequest: (line: string) => void;
  /** The HTML pages that the user has seen, in order. */
  readonly pages: string[] = [];

  constructor(person: Person, onRequest: (line: string) => void = () => {}) {
    this.#person = person;
    this.#onRequest = onRequest;
  }

  /** Sends one request as a browser does: with the cookies of the origin, without following a redirect. */
  async send(url: URL, form?: URLSearchParams): Promise<Response> {
    const cookies = this.#cookies.get(url.origin) ?? new Map<string, string>();
    this.#cookies.set(url.origin, cookies);
    const cookie = [...cookies].map((pair) => pair.join('=')).join('; ');
    const headers = { cookie, ...(form && { origin: url.origin }) };
    const response = await fetch(url, { redirect: 'manual', headers, ...(form && { method: 'POST', body: form }) });
    this.#onRequest(`${form ? 'POST' : 'GET'} ${url.origin}${url.pathname} ${response.status}`);
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    return response;
  }

  /**
   * Opens a URL, follows redirects and submits every form, until `isEnd` is true for a URL. That URL is not requested.
   *
   * @throws Error for a page with another status than 200, or without a form
   */
  async open(start: URL, isEnd: (url: URL) => boolean): Promise<URL> {
    let url = start;
    let form: URLSearchParams | undefined;
    for (let pages = 0; pages < 15; pages += 1) {
      if (isEnd(url)) return url;
      const response = await this.send(url, form);
      const location = response.headers.get('location');
      if (location !== null) {
        [url, form] = [new URL(location, url), undefined];
        continue;
      }
      const html = await response.text();
      this.pages.push(html);
      if (response.status !== 200 || form) throw new Error(`sign-in failed with ${response.status}`);
      form = this.fill(html);
      url = new URL(/<form[^>]* action="([^"]+)"/.exec(html)?.[1] ?? url, url);
    }
    throw new Error('sign-in does not end');
  }

  /** Fills the form of a page: hidden fields, account, password and the chosen button. */
  fill(html: string): URLSearchParams {
    const form = new URLSearchParams();
    for (const [tag] of html.matchAll(/<(?:input|button)[^>]*>/g)) {
      const [name, value = ''] = [attribute(tag, 'name'), attribute(tag, 'value')];
      if (name === undefined) continue;
      if (tag.startsWith('<button')) {
        const isChosen = this.#person.decision === undefined ? !form.has(name) : this.#person.decision === value;
        if (isChosen) form.set(name, value);
      } else if (name === 'password') form.set(name, this.#person.password);
      else form.set(name, tag.includes('hidden') ? value : this.#person.account);
    }
    return form;
  }
}

function attribute(tag: string, name: string): string | undefined {
  return new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1];
}

/**
 * Acts as a user in a browser: opens the authorization URL, agrees, signs in, and is redirected to the client.
 *
 * @param onRequest receives method, URL without query, and status of every request
 * @returns the redirect URI with its parameters; it is not requested
 * @throws Error for an unexpected page, such as the page for a wrong password
 */
export async function signIn(
  authorizationUrl: URL,
  person: Person,
  onRequest: (line: string) => void = () => {},
): Promise<URL> {
  const redirectUri = authorizationUrl.searchParams.get('redirect_uri') ?? '';
  return new Browser(person, onRequest).open(authorizationUrl, (url) => url.href.startsWith(redirectUri));
}
