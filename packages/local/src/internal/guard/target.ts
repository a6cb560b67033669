/** The parts of a request target. */
export interface Target {
  /** Still encoded, without the query; begins with `/`. */
  readonly path: string;
  /** The query with its `?`, still encoded; `''` without one. */
  readonly search: string;
  /** The host that an absolute target names; `undefined` for a target that is a path. */
  readonly authority: string | undefined;
}

/**
 * Splits a request target. A path stays text: as part of a URL, `//host` and `/\host` would name another host.
 *
 * @returns `undefined` for a target that is neither a path nor an absolute URL
 * @see https://www.rfc-editor.org/rfc/rfc9112#section-3.2
 */
export function readTarget(url: string | undefined): Target | undefined {
  const [, authority, rest = ''] = /^(?:[a-z][a-z\d+.-]*:\/\/([^/?#\\]*))?(.*)$/is.exec(url ?? '') ?? [];
  const text = authority !== undefined && !rest.startsWith('/') ? `/${rest}` : rest;
  if (!text.startsWith('/')) return undefined;
  const question = text.indexOf('?');
  const [path, search] = question < 0 ? [text, ''] : [text.slice(0, question), text.slice(question)];
  return { path, search, authority };
}
