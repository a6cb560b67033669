/** The region of events that name none. */
export const REGION = 'us-east-1';
/** The account of every event. */
export const ACCOUNT = '123456789012';
/** The time of events that name none. */
export const EPOCH: Date = new Date(0);

/** Carries the type of the answer to an event; exists for the compiler alone. */
declare const ANSWER: unique symbol;

/** An event whose answer has a known type. */
export interface Answered<Result> {
  /** Never present at run time; `env.invoke` reads the type of the answer from it. */
  readonly [ANSWER]?: Result;
}

/** The type of `handleLambda`'s answer to an event of a builder. */
export type AnswerOf<Event> = Event extends Answered<infer Result> ? Result : unknown;

/** Answer to a batch of a queue or a stream: the records that failed. */
export interface BatchReport {
  /** One entry for each failed record: its message id, or its sequence number in a stream. Empty: all succeeded. */
  readonly batchItemFailures: readonly { readonly itemIdentifier: string }[];
}

/** Members of the answers of all HTTP front doors. */
export interface BodyResult {
  /** HTTP status, a number from 100 to 599. */
  readonly statusCode: number;
  /** The body: text, or base64 when `isBase64Encoded` is `true`; `''` for none. */
  readonly body: string;
  /** True if `body` is base64. */
  readonly isBase64Encoded: boolean;
}

/** Answer to gateway v2 and function URL events. */
export interface GatewayV2Result extends BodyResult {
  /** Headers by their lower-case names; several values are joined by a comma. */
  readonly headers: Readonly<Record<string, string>>;
  /** Values of `set-cookie`, one for each cookie; absent without cookies. */
  readonly cookies?: readonly string[];
}

/** Answer to gateway v1 and WebSocket events. */
export interface GatewayV1Result extends BodyResult {
  /** Headers with one value. */
  readonly headers: Readonly<Record<string, string>>;
  /** Headers with several values; absent when none has. */
  readonly multiValueHeaders?: Readonly<Record<string, readonly string[]>>;
}

/** Answer to load balancer events, with the header map that the event used: `headers` or `multiValueHeaders`. */
export interface LoadBalancerResult extends BodyResult {
  /** Status and reason phrase, `200 OK`. */
  readonly statusDescription: string;
  /** Headers with one value each; absent when the event had multi-value headers. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Headers with all their values; absent when the event had single-value headers. */
  readonly multiValueHeaders?: Readonly<Record<string, readonly string[]>>;
}

/** The region that an ARN names, else the default one. */
export function regionOf(arn: string): string {
  const region = arn.startsWith('arn:') ? arn.split(':')[3] : undefined;
  return region === undefined || region === '' ? REGION : region;
}

/** `01/Jan/1970:00:00:00 +0000`, the form of API Gateway's `requestTime`. */
export function gatewayTime(time: Date): string {
  const [, day, month, year, clock] = time.toUTCString().split(' ');
  return `${day}/${month}/${year}:${clock} +0000`;
}
