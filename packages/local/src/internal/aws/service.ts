import type { Signed } from './signature.js';
import { AwsFault, escapeXml, type WireAnswer, type WireRequest } from './wire.js';

/** The wire protocol of a service: the format of requests and errors. */
export type Protocol =
  /** `X-Amz-Target` names the operation; JSON. */
  | 'json-1.0'
  | 'json-1.1'
  /** A form whose `Action` names the operation; XML. */
  | 'query'
  /** Method and path name the operation; JSON. */
  | 'rest-json'
  /** Method and path name the operation; XML. */
  | 'rest-xml';

/** The members of an input. */
export type Input = Readonly<Record<string, unknown>>;

/** One call of a service. */
export interface Call {
  /** `SendMessage`; `''` for a REST protocol, whose service determines it. */
  readonly operation: string;
  /** Members of JSON or of the form. Empty for a REST protocol. */
  readonly input: Input;
  readonly request: WireRequest;
  readonly signed: Signed;
  /** The whole body; empty for a service that reads it itself. */
  readonly body: Buffer;
  /** `X-Amzn-Trace-Id` of the calling invocation; `undefined` if absent. */
  readonly traceId: string | undefined;
  /** Adds details of the call to the journal: the operation of a REST protocol, the queue, the table. */
  note(members: { readonly operation?: string; readonly resource?: string }): void;
}

/** The result of an operation: members of the output, or a complete response. */
export type Output = Readonly<Record<string, unknown>> | { readonly wire: WireAnswer };

/** One service of the port. */
export interface AwsService {
  readonly protocol: Protocol;
  /** True if the service reads and checks the body itself. Default: `false`. */
  readonly readsBody?: boolean;
  /** The namespace of XML responses. */
  readonly xmlns?: string;
  /** Members of the input that identify the resource of a call, in order of preference. */
  readonly resources?: readonly string[];
  serve(call: Call): Promise<Output> | Output;
}

/** A service whose operations are functions of a table. */
export function defineService(
  form: Omit<AwsService, 'serve' | 'readsBody'>,
  operations: Readonly<Record<string, (input: Input, call: Call) => Promise<Output> | Output>>,
): AwsService {
  return {
    ...form,
    serve(call) {
      const run = Object.hasOwn(operations, call.operation) ? operations[call.operation] : undefined;
      if (!run) throw notServed(call.operation);
      return run(call.input, call);
    },
  };
}

export function notServed(operation: string): AwsFault {
  return new AwsFault(501, 'NotImplemented', `${operation === '' ? 'this operation' : operation} is not emulated`);
}

/** The response for an error, in the format of the protocol. */
export function faultAnswer(fault: AwsFault, protocol: Protocol, requestId: string): WireAnswer {
  const { status, code, message, members } = fault;
  if (protocol === 'rest-xml') {
    const more = Object.entries(members).map(([name, value]) => `<${name}>${escapeXml(value)}</${name}>`);
    const body = `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${escapeXml(message)}</Message>${more.join('')}<RequestId>${requestId}</RequestId></Error>`;
    return { status, headers: { 'content-type': 'application/xml' }, body };
  }
  if (protocol === 'query') {
    const type = status < 500 ? 'Sender' : 'Receiver';
    const body = `<ErrorResponse><Error><Type>${type}</Type><Code>${code}</Code><Message>${escapeXml(message)}</Message></Error><RequestId>${requestId}</RequestId></ErrorResponse>`;
    return { status, headers: { 'content-type': 'text/xml' }, body };
  }
  const { queryCode, ...own } = members;
  return {
    status,
    headers: {
      'content-type': contentType(protocol),
      'x-amzn-errortype': code,
      ...(queryCode !== undefined && { 'x-amzn-query-error': `${queryCode};Sender` }),
    },
    body: JSON.stringify({ __type: code, message, ...own }),
  };
}

export function contentType(protocol: Protocol): string {
  return protocol.startsWith('json') ? `application/x-amz-${protocol}` : 'application/json';
}

// Inputs come from an AWS client: their types are unchecked.

/** A member that must be a string. @throws AwsFault `ValidationException` */
export function textOf(input: Input, name: string): string {
  const value = input[name];
  if (typeof value !== 'string' || value === '')
    throw new AwsFault(400, 'ValidationException', `${name} must be a string`);
  return value;
}

/** An optional string member. */
export function optionalText(input: Input, name: string): string | undefined {
  const value = input[name];
  return typeof value === 'string' ? value : undefined;
}

/** An optional number member. */
export function numberOf(input: Input, name: string, fallback: number): number {
  const value = input[name];
  return typeof value === 'number' ? value : fallback;
}

/** An optional list of objects. */
export function entriesOf(input: Input, name: string): readonly Input[] {
  const value = input[name];
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'object' && entry !== null) : [];
}
