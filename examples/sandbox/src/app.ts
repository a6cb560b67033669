import { createHash } from 'node:crypto';
import type { Context } from '@sallyport/core';
import { json } from '@sallyport/http';
import {
  createMicrovmController,
  type MicrovmController,
  type MicrovmControllerOptions,
  type MicrovmSessionView,
  mountMicrovmController,
  toMicrovmCaller,
} from '@sallyport/microvm';
import { Authenticated, SecureApp, type SecureOptions } from '@sallyport/secure';

/** What the service is made of. */
export interface SandboxParts {
  readonly secure: SecureOptions;
  readonly microvms: Omit<MicrovmControllerOptions, 'ownership'>;
}

/**
 * All users share one tenant here, and each has a namespace: its list holds this user's sessions alone, however many users
 * there are. An identity may be long and of any characters, a namespace has at most 128 bytes.
 */
const binding = (ctx: Pick<Context, 'authIdentity'>) => ({
  tenantId: 'sandbox',
  namespace: createHash('sha256').update(ctx.authIdentity).digest('hex'),
});
const callerOf = (ctx: Context) => toMicrovmCaller(ctx, { binding });

/** A service that gives each user a machine of their own, and carries requests to it. */
export function createSandbox({ secure, microvms }: SandboxParts): SecureApp {
  const app = new SecureApp(secure);
  const controller = createMicrovmController({ ...microvms, ownership: 'subject' });

  app.post('/sandbox', (ctx) => openSandbox(controller, ctx), Authenticated());
  mountMicrovmController(app, controller, {
    posture: Authenticated(),
    shellPosture: Authenticated('sandbox:shell'),
    binding,
  });
  app.eventBus({ ruleName: 'sandbox-sweep' }, () => controller.sweep());
  return app;
}

/** The user's machine, or a new one if absent that can be used. */
async function openSandbox(controller: MicrovmController, ctx: Context) {
  const caller = callerOf(ctx);
  const { sessions } = await controller.list(caller, { refresh: true });
  const open = sessions.find(isOpen);
  const { sessionId, state } = open ?? (await controller.run(caller, { idempotencyKey: keyAfter(sessions) }));
  return json(200, { session_id: sessionId, state, url: `/microvms/${sessionId}/invoke/` });
}

function isOpen({ state }: MicrovmSessionView): boolean {
  return state !== 'terminating' && state !== 'terminated' && state !== 'failed';
}

/** Requests at the same time name the same session as the last one, and so run one machine together. */
function keyAfter(sessions: readonly MicrovmSessionView[]): string {
  const [last] = [...sessions].sort((left, right) => (left.createdAt < right.createdAt ? 1 : -1));
  return `after-${last?.sessionId ?? 'none'}`;
}
