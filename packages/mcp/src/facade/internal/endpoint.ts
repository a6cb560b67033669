import { type Context, FrameworkError } from '@sallyport/core';
import { type EndpointKind, endpointOfParams, patternOf } from '../../routes/endpoint.js';

/** What `encodeURIComponent` escapes although a segment may hold it (RFC 3986 section 3.3). */
const NEEDLESS = /%(?:24|26|2B|2C|3A|3B|3D|40)/g;
/** What a segment cannot hold; a gateway that hands on decoded paths leaves it in. */
const UNSAFE = /[^\w.~!$&'()*+,;=:@%-]+/g;

/** Escaped where a URL needs it, and nowhere else, so that an endpoint has one URL. */
function encodeSegment(identifier: string): string {
  return encodeURIComponent(identifier.toWellFormed()).replace(NEEDLESS, decodeURIComponent);
}

/**
 * The path of an endpoint as it stands in a URL, from decoded path parameters.
 *
 * @returns `undefined` for parameters that are no identifiers
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
 * The MCP path that a request is about: of the MCP server itself or of a document about it. Its identifiers are the decoded path
 * parameters; they must be valid, and written in the one way that an endpoint's URL has.
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
