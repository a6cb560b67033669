import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { STS } from '@aws-sdk/client-sts';

/** One call that STS was sent, in the words of its query protocol. */
export interface StsCall {
  readonly action: string;
  readonly parameters: URLSearchParams;
  /** The access key that signed it. */
  readonly accessKeyId: string;
  readonly sessionToken: string | undefined;
}

/** Response of STS to an action: a document, an error, or no response. */
export type StsAnswer = string | { readonly status: number; readonly code: string } | 'silence';

/** A loopback server that speaks the query protocol of STS to the real client. */
export class StsServer {
  readonly calls: StsCall[] = [];
  /** By action. */
  answers: Record<string, StsAnswer> = {};
  readonly #server = createServer((incoming, outgoing) => void this.#serve(incoming, outgoing));

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  async stop(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
  }

  /** The real client at this address. */
  client(credentials: object = { accessKeyId: 'AKIATESTCALLER', secretAccessKey: 'caller' }): STS {
    const endpoint = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    return new STS({ region: 'eu-west-1', endpoint, maxAttempts: 1, credentials: credentials as never });
  }

  async #serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming as AsyncIterable<Buffer>) chunks.push(chunk);
    const parameters = new URLSearchParams(Buffer.concat(chunks).toString());
    const action = parameters.get('Action') ?? '';
    const [, accessKeyId = ''] = /Credential=([^/]+)/.exec(incoming.headers.authorization ?? '') ?? [];
    const token = incoming.headers['x-amz-security-token'];
    this.calls.push({ action, parameters, accessKeyId, sessionToken: token === undefined ? undefined : String(token) });
    const answer = this.answers[action] ?? { status: 400, code: 'InvalidAction' };
    if (answer === 'silence') return;
    const [status, body] = typeof answer === 'string' ? [200, answer] : [answer.status, errorDocument(answer.code)];
    outgoing.writeHead(status, { 'content-type': 'text/xml' });
    outgoing.end(body);
  }
}

const XMLNS = 'https://sts.amazonaws.com/doc/2011-06-15/';

function errorDocument(code: string): string {
  return `<ErrorResponse xmlns="${XMLNS}"><Error><Type>Sender</Type><Code>${code}</Code><Message>injected</Message></Error></ErrorResponse>`;
}

export function identityDocument(account: string): string {
  return `<GetCallerIdentityResponse xmlns="${XMLNS}"><GetCallerIdentityResult><Arn>arn:aws:sts::${account}:assumed-role/reader/notes</Arn><UserId>AROAEXAMPLE:notes</UserId><Account>${account}</Account></GetCallerIdentityResult></GetCallerIdentityResponse>`;
}

export function roleDocument(parts: Readonly<Record<string, string>> = {}): string {
  const credentials = {
    AccessKeyId: 'ASIATESTASSUMED',
    SecretAccessKey: 'ASSUMEDSECRET',
    SessionToken: 'ASSUMEDTOKEN',
    Expiration: '2026-11-22T11:00:00Z',
    ...parts,
  };
  const members = Object.entries(credentials).map(([name, value]) => `<${name}>${value}</${name}>`);
  return `<AssumeRoleResponse xmlns="${XMLNS}"><AssumeRoleResult><Credentials>${members.join('')}</Credentials></AssumeRoleResult></AssumeRoleResponse>`;
}
