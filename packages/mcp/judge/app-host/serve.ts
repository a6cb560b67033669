import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { AppCsp } from '../../src/index.js';

const SANDBOX = readFileSync(new URL('./sandbox.html', import.meta.url));

/** The two origins of a host of MCP Apps. */
export interface AppHost {
  /** The page with the function `openApp` of `host.mjs`. */
  readonly origin: string;
  /** The proxy of the apps; its policy follows the declarations of the app. */
  readonly sandboxOrigin: string;
  stop(): void;
}

/** Serves the host and its sandbox, at two ports. */
export async function startAppHost(): Promise<AppHost> {
  const [bundle] = (
    await build({
      entryPoints: [fileURLToPath(new URL('./host.mjs', import.meta.url))],
      bundle: true,
      write: false,
      platform: 'browser',
      format: 'esm',
    })
  ).outputFiles;
  const page = `<!doctype html><title>Host</title><body><script type="module">${bundle?.text.replaceAll('</script', '<\\/script')}</script>`;
  const [host, sandbox] = await Promise.all([
    listen((_, response) => response.setHeader('content-type', 'text/html').end(page)),
    listen(({ url = '/' }, response) => {
      const csp = JSON.parse(new URL(url, 'http://sandbox').searchParams.get('csp') ?? '{}') as AppCsp;
      response.setHeader('content-security-policy', policyOf(csp));
      response.setHeader('content-type', 'text/html').end(SANDBOX);
    }),
  ]);
  return {
    origin: originOf(host),
    sandboxOrigin: originOf(sandbox),
    stop() {
      for (const server of [host, sandbox]) {
        server.close();
        server.closeAllConnections();
      }
    },
  };
}

async function listen(answer: RequestListener): Promise<Server> {
  const server = createServer(answer);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return server;
}

const originOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

/** The policy of the specification, with the declared origins. */
function policyOf({ connectDomains, resourceDomains, frameDomains, baseUriDomains }: AppCsp): string {
  const sources = (first: string, origins: readonly string[] = []) => [first, ...origins].join(' ');
  const only = (origins: readonly string[] | undefined, otherwise: string) => origins?.join(' ') || otherwise;
  return [
    "default-src 'none'",
    `script-src ${sources("'self' 'unsafe-inline'", resourceDomains)}`,
    `style-src ${sources("'self' 'unsafe-inline'", resourceDomains)}`,
    `img-src ${sources("'self' data:", resourceDomains)}`,
    `font-src ${sources("'self'", resourceDomains)}`,
    `media-src ${sources("'self' data:", resourceDomains)}`,
    `connect-src ${only(connectDomains, "'none'")}`,
    `frame-src ${only(frameDomains, "'none'")}`,
    `base-uri ${only(baseUriDomains, "'self'")}`,
    "object-src 'none'",
  ].join('; ');
}
