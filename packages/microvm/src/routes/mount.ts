import type { Context, Handler, ResponseInput } from '@sallyport/core';
import { defineOptions, func, kind } from '@sallyport/core/options';
import { type Posture, SecureApp } from '@sallyport/secure';
import { type MicrovmBindingOf, toMicrovmCaller } from '../controller/caller.js';
import type { MicrovmController } from '../controller/controller.js';
import { controllerIncomplete } from '../errors.js';
import { toWire } from '../internal/codec.js';
import type { MicrovmOperation } from '../lifecycle/states.js';
import { invokeRoute } from './internal/invoke.js';
import { readInput } from './internal/request.js';

/** Path of the controller's routes. */
export const MICROVM_PATH = '/microvms';

/** Options of {@link mountMicrovmController}. */
export interface MountMicrovmOptions {
  /** Posture of the routes: `Authenticated(…)`, `AuthenticatedAnyOf(…)` or `InternalOnly()`. */
  readonly posture: Posture;
  /** Posture of the route for shell tokens. */
  readonly shellPosture: Posture;
  /** Reads tenant and namespace of a caller. Default: the tenant of the invocation or the principal, and the principal's claim `namespace`. */
  readonly binding?: MicrovmBindingOf;
}

const isCallersPosture = (value: unknown) => {
  const posture = value as Posture | null | undefined;
  if (typeof posture !== 'object' || posture === null) return false;
  if (posture.kind === 'public' || posture.kind === 'optional') {
    throw controllerIncomplete(
      'microvm routes need a caller; use Authenticated(), AuthenticatedAnyOf() or InternalOnly()',
    );
  }
  return true;
};

/** Validators and defaults for {@link MountMicrovmOptions}. */
export const MOUNT_MICROVM_OPTIONS = defineOptions<MountMicrovmOptions>()(
  {
    posture: kind<Posture>('a posture', isCallersPosture).required(),
    shellPosture: kind<Posture>('a posture', isCallersPosture).required(),
    binding: func<MicrovmBindingOf>(),
  },
  { fail: controllerIncomplete },
);

const SESSION_PATH = `${MICROVM_PATH}/{session_id}`;
const INVOKE_METHODS = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT'];

type Method = 'run' | 'list' | 'get' | 'suspend' | 'resume' | 'terminate' | 'authToken' | 'shellAuthToken';

/** Every operation but `invoke`: its route and the method of the controller. */
const ROUTES: readonly (readonly [command: MicrovmOperation, method: string, path: string, call: Method])[] = [
  ['run', 'POST', MICROVM_PATH, 'run'],
  ['list', 'GET', MICROVM_PATH, 'list'],
  ['get', 'GET', SESSION_PATH, 'get'],
  ['suspend', 'POST', `${SESSION_PATH}/suspend`, 'suspend'],
  ['resume', 'POST', `${SESSION_PATH}/resume`, 'resume'],
  ['terminate', 'DELETE', SESSION_PATH, 'terminate'],
  ['auth-token', 'POST', `${SESSION_PATH}/auth-token`, 'authToken'],
  ['shell-auth-token', 'POST', `${SESSION_PATH}/shell-auth-token`, 'shellAuthToken'],
];

/**
 * Registers the routes of a controller on a `SecureApp`: `/microvms` and its subpaths. Tenant and namespace come from the
 * authenticated caller, never from a header.
 *
 * @throws MicrovmError `microvm.controller_incomplete` if `app` is not a `SecureApp`, and for a missing posture, `Public()` and `Optional()`
 * @example
 * mountMicrovmController(app, controller, {
 *   posture: Authenticated('microvm:use'),
 *   shellPosture: Authenticated('microvm:shell'),
 * });
 */
export function mountMicrovmController(
  app: SecureApp,
  controller: MicrovmController,
  options: MountMicrovmOptions,
): void {
  if (!(app instanceof SecureApp)) throw controllerIncomplete('microvm routes need a SecureApp');
  const { posture, shellPosture, binding } = MOUNT_MICROVM_OPTIONS.parse(options);
  const callerOf = (ctx: Context) => toMicrovmCaller(ctx, binding === undefined ? {} : { binding });
  for (const [command, method, path, call] of ROUTES) {
    const handler: Handler = async (ctx) => {
      const caller = callerOf(ctx);
      const input = readInput(ctx, caller, command);
      return json(await controller[call](caller, input as never));
    };
    app.handle(method, path, handler, command === 'shell-auth-token' ? shellPosture : posture);
  }
  const invoke: Handler = (ctx) => invokeRoute(controller, callerOf(ctx), ctx);
  for (const method of INVOKE_METHODS) {
    app.handle(method, `${SESSION_PATH}/invoke`, invoke, posture, { streaming: true, trailingSlash: true });
    app.handle(method, `${SESSION_PATH}/invoke/{path+}`, invoke, posture, { streaming: true });
  }
}

function json(answer: object): ResponseInput {
  const headers = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' };
  return { status: 200, headers, body: JSON.stringify(toWire(answer)) };
}
