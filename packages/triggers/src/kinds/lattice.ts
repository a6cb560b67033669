import type {
  Invocation,
  MultiMap,
  Surface,
  SurfaceDoor,
  SurfaceHost,
  Target,
  TriggerKind,
  TriggerRecord,
} from '@sallyport/core';
import {
  append,
  createFastMap,
  createMap,
  type EncodedBody,
  LAMBDA_MAX_ANSWER_BYTES,
  type Members,
  membersOf,
  type OutgoingResponse,
  type RequestSource,
  stringOf,
  toHeaderMap,
  toStringList,
  unknownProvenance,
} from '@sallyport/core/internal';
import { refused } from '../errors.js';
import { defineTrigger, type SurfaceRow } from '../internal/surface.js';

const KIND = 'lattice';

/** Both versions of the event: https://docs.aws.amazon.com/vpc-lattice/latest/ug/lambda-functions.html. @internal */
export const LATTICE_TRIGGER = /* @__PURE__ */ defineTrigger({
  kind: KIND,
  anyOf: [
    [
      { path: 'requestContext.serviceNetworkArn', test: 'text' },
      { path: 'requestContext.serviceArn', test: 'text' },
      { path: 'method', test: 'text' },
      { path: 'path', test: 'text' },
    ],
    [
      { path: 'raw_path', test: 'text' },
      { path: 'method', test: 'text' },
    ],
  ],
  sample: { raw_path: '/', method: 'GET' },
});

/** A request of VPC Lattice. Version 2 contains a list for a repeated name. */
class LatticeSource implements RequestSource {
  readonly rawBody: string;
  readonly isBase64: boolean;
  readonly invalidBody: string | undefined;
  readonly #headers: MultiMap;
  readonly #query: unknown;

  constructor(event: Members) {
    const { body, isBase64Encoded, is_base64_encoded: isEncoded, queryStringParameters: query } = event;
    this.rawBody = stringOf(body);
    this.isBase64 = (isBase64Encoded ?? isEncoded) === true;
    this.invalidBody = body === undefined || body === null || typeof body === 'string' ? undefined : 'invalid body';
    this.#headers = toHeaderMap(membersOf(event.headers));
    this.#query = query ?? event.query_string_parameters;
  }

  headers(): MultiMap {
    return this.#headers;
  }

  header(name: string): readonly string[] {
    return this.#headers[name] ?? [];
  }

  query(): MultiMap {
    const query: MultiMap = createMap();
    for (const [name, value] of Object.entries(membersOf(this.#query))) append(query, name, toStringList(value));
    return query;
  }

  cookieValues(): readonly string[] {
    return this.header('cookie');
  }

  /** The event does not contain the client's address, and the sender controls every header. */
  provenance() {
    return unknownProvenance();
  }
}

function read(event: unknown) {
  const members = membersOf(event);
  const rawPath = stringOf(members.path ?? members.raw_path);
  const [path = ''] = rawPath.split('?', 1);
  return { method: stringOf(members.method), path, rawPath: path, source: new LatticeSource(members) };
}

/** An answer has one value for each header; further cookies use other spellings of the name, because names ignore case and keys do not. */
function write({ status, headers, cookies }: OutgoingResponse, { body, isBase64Encoded }: EncodedBody) {
  const single = createFastMap<string>();
  for (const name in headers) {
    const values = headers[name] as string[];
    if (values.length > 0) single[name] = values.join(',');
  }
  for (const [index, cookie] of cookies.entries()) single[spelling('set-cookie', index)] = cookie;
  return { isBase64Encoded, statusCode: status, headers: single, body };
}

/** The `index`-th spelling of a name: the bits of the number select the letters in upper case. */
function spelling(name: string, index: number): string {
  let rest = index;
  return name.replace(/[a-z]/g, (letter) => {
    const isCapital = rest % 2 === 1;
    rest = Math.floor(rest / 2);
    return isCapital ? letter.toUpperCase() : letter;
  });
}

const DOOR: SurfaceDoor = {
  kind: KIND,
  traits: {
    maxAnswerBytes: LAMBDA_MAX_ANSWER_BYTES,
    streams: 'collect',
    measure: (response, body) => Buffer.byteLength(JSON.stringify(write(response, body))),
  },
  read,
  write,
};

/** The front door of VPC Lattice to the routes of a container. */
export class LatticeDoor implements Surface {
  /** The kind of its events. */
  readonly serves: readonly TriggerKind[] = [KIND];
  /** Detection rows of its events. */
  readonly rows: readonly SurfaceRow[] = [LATTICE_TRIGGER];
  /** An event of this kind, which the container tests its rows with. */
  readonly sample: unknown = LATTICE_TRIGGER.sample;
  #host: SurfaceHost | undefined;

  /** Called by the container that the surface is passed to. */
  attach(host: SurfaceHost): void {
    this.#host = host;
  }

  /** Checks the posture of the route and runs the route; answers 404 and 405 as every front door does. */
  async serve(_kind: TriggerKind, event: unknown, invocation: Invocation): Promise<unknown> {
    return this.#container().serveHttp(DOOR, event, invocation);
  }

  /** The route that would serve an event, for `explain`. */
  explainTarget(_kind: TriggerKind, event: unknown): Target {
    return this.#container().explainHttp(DOOR, event);
  }

  #container(): SurfaceHost {
    if (!this.#host) throw refused('latticeDoor has no container; pass it to the option surfaces');
    return this.#host;
  }

  /** Empty: the routes belong to the container. */
  triggers(): readonly TriggerRecord[] {
    return [];
  }
}

/**
 * Makes the front door of VPC Lattice: its requests reach the routes of the container, each with its posture. Both versions of the
 * event are read. `ctx.sourceIP()` is `''`, because the event has no address; with version 2 and IAM authentication
 * `latticeIdentityPrincipal` of `@sallyport/secure/authorizers` identifies the caller.
 *
 * @example
 * const app = new SecureApp({ principalResolver: latticeIdentityPrincipal(), surfaces: [latticeDoor()] });
 * app.get('/orders/{id}', getOrder, Authenticated());
 */
export function latticeDoor(): LatticeDoor {
  return new LatticeDoor();
}
