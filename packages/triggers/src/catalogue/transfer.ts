import { defineOptions, oneOf, string } from '@sallyport/core/options';
import { acceptUser, TRANSFER_TRIGGER, transferIdentity } from '../kinds/transfer.js';
import { describeTrigger } from './entry.js';
import { only } from './internal/build.js';

/** Options of {@link buildTransferEvent}. */
export interface TransferEventOptions {
  /** Default `ann`. */
  readonly userName?: string;
  /** The password; `''` for a sign-in with a key. Default `secret`. */
  readonly password?: string;
  /** Default `SFTP`. */
  readonly protocol?: 'SFTP' | 'FTPS' | 'FTP';
}

const TRANSFER_EVENT = /* @__PURE__ */ defineOptions<TransferEventOptions>()({
  userName: string.default('ann'),
  password: string.default('secret'),
  protocol: oneOf('SFTP', 'FTPS', 'FTP').default('SFTP'),
});

/** A user who signs in, in the form of the documentation. */
export interface TransferEvent {
  /** The name of the user. */
  readonly username: string;
  /** The password. */
  readonly password?: string;
  /** The protocol. */
  readonly protocol: 'SFTP' | 'FTPS' | 'FTP';
  /** The id of the server. */
  readonly serverId: string;
  /** The address of the client. */
  readonly sourceIp: string;
}

/**
 * Builds the event of a user who signs in to a Transfer Family server.
 *
 * @see https://docs.aws.amazon.com/transfer/latest/userguide/custom-lambda-idp.html
 * @throws FrameworkError `app.invalid_configuration` for an unknown option or a wrong type
 */
export function buildTransferEvent(options: TransferEventOptions = {}): TransferEvent {
  const { userName, password, protocol } = TRANSFER_EVENT.parse(options);
  return { username: userName, password, protocol, serverId: 's-1234567890abcdef0', sourceIp: '203.0.113.1' };
}

/** Identity providers of Transfer Family in the catalogue. @internal */
export const TRANSFER = /* @__PURE__ */ describeTrigger(TRANSFER_TRIGGER, {
  sample: {
    build: buildTransferEvent,
    events: [[buildTransferEvent(), undefined]],
    names: [''],
    result: /* @__PURE__ */ acceptUser({ role: 'arn:aws:iam::123456789012:role/files' }),
    register: (handlers) => transferIdentity(only(handlers)),
  },
  docs: {
    section: 'Transfer Family users',
    rows: [
      [
        '`transferIdentity(handler)`, `acceptUser({ role, homeDirectory, directories, policy, publicKeys, posix })`; `TransferIdentity`, `TransferAuthenticator`, `TransferSignIn`, `TransferUser`',
        'identity providers of Transfer Family',
      ],
    ],
  },
  construct: null,
  simulate: null,
  aws: {
    author: 'Transfer Family; a user wrote name and password',
    failure: 'Transfer Family rejects the user',
    limit: '6 MB',
    attached: 'the server',
  },
  sizes: { factory: 'transferIdentity', gzipBytes: 11_000 },
});
