import { type Context, FrameworkError } from '@sallyport/core';
import { type EndpointKind, endpointOfParams, patternOf } from '../../routes/endpoint.js';

/** Characters that are allowed in a segment but escaped by `encodeURIComponent` (RFC 3986 section 3.3). */
const NEEDLESS = /%(?:24|26|2B|2C|3A|3B|3D|40)/g;
/** Characters that are not allowed in a segment; a gateway that passes on decoded paths leaves them unescaped. */
const UNSAFE = /[^\w.~!$&'()*+,;=:@%-]+/g;

/** Escapes only the characters that a URL does not allow, so that an endpoint has exactly one URL. */
function encodeSegment(identifier: string): string {
  return encodeURIComponent(identifier.toWellFormed()).replace(NEEDLESS, decodeURIComponent);
}

/**
 * The path of an endpoint in a URL, from decoded path parameters.
 *
 * @returns `undefined` for invalid identifiers
 */
export function encodedMcpPath(kind: EndpointKind, params: Readonly<Record<string, string>>): string | undefined {
  try {
    endpointOfParams(kind, params);
  } catch {
    return undefined;
  }
  return fillPattern(kind, (parameter) => encodeSegment(params[parameter] ?? ''));
}

/**
 * The MCP path of a request to an MCP server or to one of its documents. The identifiers are the decoded path parameters; they must be
 * valid, and escaped exactly as in the URL of the endpoint.
 *
 * @throws FrameworkError `app.not_found`
 */
export function requestedMcpPath(kind: EndpointKind, ctx: Context): string {
  const path = encodedMcpPath(kind, ctx.params);
  const sent = fillPattern(kind, (parameter) =>
    ctx.rawParam(parameter).replace(UNSAFE, (run) => encodeURIComponent(run.toWellFormed())),
  );
  if (path !== sent) throw new FrameworkError('app.not_found');
  return path;
}

function fillPattern(kind: EndpointKind, textOf: (parameter: string) => string): string {
  return patternOf(kind).replace(/\{(\w+)\}/g, (_, parameter: string) => textOf(parameter));
}
