import type { LambdaContext, MaybePromise } from '@sallyport/core';
import { membersOf, rejectWithoutEventKey, stringOf } from '@sallyport/core/internal';
import { defineOptions, integer, list, object, string, text } from '@sallyport/core/options';
import type { Delivered, EventHandler, KeylessEventContext } from '@sallyport/streams/delivery';
import { Decision, readDecision } from '../internal/decision.js';
import { assertHandler } from '../internal/handlers.js';
import { requiredText, sourceOf } from '../internal/read.js';
import { respond } from '../internal/respond.js';
import { defineTrigger, TriggerSurface } from '../internal/surface.js';

/** A user who signs in to a server: https://docs.aws.amazon.com/transfer/latest/userguide/custom-lambda-idp.html. */
export interface TransferSignIn {
  /** The name of the user. */
  readonly userName: string;
  /** The password; `''` for a sign-in with a key, for which the answer contains the public keys. */
  readonly password: string;
  /** `SFTP`, `FTPS` or `FTP`. */
  readonly protocol: string;
  /** The id of the server. */
  readonly serverId: string;
  /** The address of the client. */
  readonly sourceIp: string;
}

/** Options of {@link acceptUser}. An unknown key is rejected. */
export interface TransferUser {
  /** The ARN of the role that the user has. */
  readonly role: string;
  /** The home directory: `/bucket/ann`. Default: none. */
  readonly homeDirectory?: string;
  /** Logical directories: each visible path with its place, `{ '/': '/bucket/ann' }`. Default: none. */
  readonly directories?: Readonly<Record<string, string>>;
  /** The session policy, a document. Default: none. */
  readonly policy?: object;
  /** The public keys of the user, for a sign-in with a key. Default: none. */
  readonly publicKeys?: readonly string[];
  /** User id and group id for EFS. Default: none. */
  readonly posix?: { readonly uid: number; readonly gid: number };
}

const POSIX = /* @__PURE__ */ defineOptions<{ uid: number; gid: number }>()({
  uid: /* @__PURE__ */ integer(0, 4_294_967_295, 'a user id').required(),
  gid: /* @__PURE__ */ integer(0, 4_294_967_295, 'a group id').required(),
});

const TRANSFER_USER = /* @__PURE__ */ defineOptions<TransferUser>()({
  role: /* @__PURE__ */ text('the ARN of a role').required(),
  homeDirectory: string,
  directories: /* @__PURE__ */ object<Readonly<Record<string, string>>>(),
  policy: /* @__PURE__ */ object<object>(),
  publicKeys: /* @__PURE__ */ list(string),
  posix: /* @__PURE__ */ object<{ readonly uid: number; readonly gid: number }>(),
});

/** Authenticates a user. Any result except that of {@link acceptUser}, and a throw, reject the user. */
export type TransferAuthenticator = (
  ctx: KeylessEventContext,
  signIn: TransferSignIn,
) => MaybePromise<Decision<'transfer'> | undefined>;

/** Row, natural key and answer of identity providers of Transfer Family. @internal */
export const TRANSFER_TRIGGER = /* @__PURE__ */ defineTrigger({
  kind: 'transfer',
  anyOf: ['SFTP', 'FTPS', 'FTP'].map((value) => [
    { path: 'username', test: 'text' },
    { path: 'serverId', test: 'text' },
    { path: 'sourceIp', test: 'text' },
    { path: 'protocol', test: 'equals', value },
  ]),
  sample: { username: 'u', serverId: 's', sourceIp: 'i', protocol: 'SFTP' },
  // A user signs in several times, and an event has no id.
  key: undefined,
  answer: 'role and directories, or an empty object',
});

const REJECTED = {};

/** The function of an identity provider of Transfer Family. */
export class TransferIdentity extends TriggerSurface {
  readonly #handler: EventHandler<never>;

  constructor(handler: TransferAuthenticator) {
    super(TRANSFER_TRIGGER);
    assertHandler(handler);
    rejectWithoutEventKey(this.kind, handler);
    this.#handler = handler as EventHandler<never>;
  }

  protected override read(event: unknown): readonly Delivered[] {
    const { username, password, protocol, serverId, sourceIp } = membersOf(event);
    const record: TransferSignIn = {
      userName: requiredText(this.kind, 'username', username),
      password: stringOf(password),
      protocol: requiredText(this.kind, 'protocol', protocol),
      serverId: requiredText(this.kind, 'serverId', serverId),
      sourceIp: stringOf(sourceIp),
    };
    return [{ handler: this.#handler, record, id: '', name: '', source: sourceOf(record.serverId, '') }];
  }

  protected override answer([item]: readonly Delivered[], lambdaContext: LambdaContext | undefined): Promise<unknown> {
    const decide = (result: unknown) => readDecision(this.kind, result) ?? REJECTED;
    return respond(this.delivery, item as Delivered, lambdaContext, decide, () => REJECTED);
  }
}

/**
 * Accepts a user.
 *
 * @throws FrameworkError `app.invalid_configuration` for an unknown option or a wrong type
 * @example transferIdentity((ctx, { userName, password }) => (isValid(userName, password) ? acceptUser({ role }) : undefined));
 */
export function acceptUser(options: TransferUser): Decision<'transfer'> {
  const { role, homeDirectory, directories, policy, publicKeys, posix } = TRANSFER_USER.parse(options);
  const ids = posix && POSIX.parse(posix);
  const entries = Object.entries(directories ?? {}).map(([Entry, Target]) => ({ Entry, Target }));
  return new Decision('transfer', {
    Role: role,
    ...(homeDirectory !== undefined && { HomeDirectory: homeDirectory }),
    ...(entries.length > 0 && { HomeDirectoryType: 'LOGICAL', HomeDirectoryDetails: JSON.stringify(entries) }),
    ...(policy && { Policy: JSON.stringify(policy) }),
    ...(publicKeys && { PublicKeys: [...publicKeys] }),
    ...(ids && { PosixProfile: { Uid: ids.uid, Gid: ids.gid } }),
  });
}

/**
 * Makes the surface for the identity provider of a Transfer Family server. Any result except `acceptUser()`, and any error, rejects the user.
 *
 * @throws FrameworkError `app.invalid_configuration` for a handler that is not a function
 * @example
 * const users = transferIdentity((ctx, { userName, password }) => (isValid(userName, password) ? acceptUser({ role }) : undefined));
 * const app = new SecureApp({ principalResolver, surfaces: [users] });
 */
export function transferIdentity(handler: TransferAuthenticator): TransferIdentity {
  return new TransferIdentity(handler);
}
