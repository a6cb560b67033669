export const REGION = 'us-east-1';
export const ACCOUNT = '123456789012';
export const EPOCH: Date = new Date(0);

/** Carries the type of the answer to an event; exists for the compiler alone. */
declare const ANSWER: unique symbol;

/** An event whose answer has a known type. */
export interface Answered<Result> {
  readonly [ANSWER]?: Result;
}

/** The type of what `handleLambda` answers to an event of a builder. */
export type AnswerOf<Event> = Event extends Answered<infer Result> ? Result : unknown;

export interface BatchReport {
  readonly batchItemFailures: readonly { readonly itemIdentifier: string }[];
}

interface BodyResult {
  readonly statusCode: number;
  readonly body: string;
  readonly isBase64Encoded: boolean;
}

/** Answer to gateway v2 and function URL events. */
export interface GatewayV2Result extends BodyResult {
  readonly headers: Readonly<Record<string, string>>;
  readonly cookies?: readonly string[];
}

/** Answer to gateway v1 and WebSocket events. */
export interface GatewayV1Result extends BodyResult {
  readonly headers: Readonly<Record<string, string>>;
  readonly multiValueHeaders?: Readonly<Record<string, readonly string[]>>;
}

/** Answer to load balancer events: one of the two header maps. */
export interface LoadBalancerResult extends BodyResult {
  readonly statusDescription: string;
  readonly headers?: Readonly<Record<string, string>>;
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
