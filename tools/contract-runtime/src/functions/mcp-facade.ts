import type { Handler, RequestInput, Response } from '@sallyport/core';
import { type FacadeConfig, registerMcpFacade } from '@sallyport/mcp/facade';
import { Public, SecureApp } from '@sallyport/secure';
import { camelOptions, renameKeys, toCamel } from '../casing.js';
import { makePosture } from '../postures.js';

type Args = Readonly<Record<string, unknown>>;

/** `true` stands for a handler or factory; a posture is as elsewhere; kinds of endpoints keep their names. */
async function toConfig({ posture, scopes, ...given }: Args): Promise<FacadeConfig> {
  const functions: Readonly<Record<string, unknown>> = {
    mcp_handler: ((ctx) => ({ body: JSON.stringify(ctx.params) })) satisfies Handler,
    authorize_handler: () => () => ({ body: 'authorize' }),
    token_handler: () => () => ({ body: 'token' }),
  };
  const stated = posture === undefined ? undefined : await makePosture(posture as { kind: string });
  const options = Object.fromEntries(
    Object.entries(given).map(([name, value]) => [
      name,
      value === true && name in functions ? functions[name] : renameKeys(value, toCamel),
    ]),
  );
  return {
    ...camelOptions(options),
    ...(scopes !== undefined && { scopes }),
    ...(stated !== undefined && { posture: () => stated }),
  } as unknown as FacadeConfig;
}

/** `{ "config": { … }, "register": ["GET /{tenant}/mcp"] }`: the registration or the code of the error, and all routes afterwards. */
export async function register({ config, register = [] }: Args): Promise<object> {
  const app = new SecureApp({ log: false });
  for (const route of register as string[]) {
    const [method = '', pattern = ''] = route.split(' ');
    app.handle(method, pattern, () => ({ body: '' }), Public());
  }
  const facade = await toConfig(config as Args);
  return { outcome: outcomeOf(() => registerMcpFacade(app, facade)), routes: app.routes().length };
}

/** `{ "configs": [ … ] }`: of each `"ok"`, or the code of its error. */
export async function check({ configs }: Args): Promise<readonly unknown[]> {
  const facades = await Promise.all((configs as Args[]).map(toConfig));
  return facades.map((facade) => outcomeOf(() => registerMcpFacade(new SecureApp({ log: false }), facade) && 'ok'));
}

/** `{ "config": { … }, "requests": [ … ] }`: the answer to each; `"caller": true` in a request is an authenticated request. */
export async function answers({ config, requests }: Args): Promise<readonly object[]> {
  const app = new SecureApp({
    log: false,
    ids: { newId: () => 'id' },
    principalResolver: (ctx) => (ctx.header('x-caller') === 'true' ? { identity: 'caller', kind: 'external' } : null),
  });
  registerMcpFacade(app, await toConfig(config as Args));
  const seen: object[] = [];
  for (const { caller, ...request } of requests as (Partial<RequestInput> & { caller?: boolean })[]) {
    const headers = { ...request.headers, ...(caller === true && { 'x-caller': 'true' }) };
    seen.push(toAnswer(await app.serve({ method: 'GET', path: '/', ...request, headers })));
  }
  return seen;
}

const SHOWN: readonly string[] = ['content-type', 'cache-control', 'vary'];

function toAnswer({ status, headers, body }: Response): object {
  const shown = Object.entries(headers).filter(([name]) => SHOWN.includes(name));
  return { status, headers: Object.fromEntries(shown), text: new TextDecoder().decode(body) };
}

function outcomeOf(run: () => unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(run()));
  } catch (error) {
    return { code: (error as { code?: unknown }).code };
  }
}
