import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

interface Packument {
  name: string;
  'dist-tags': Record<string, string>;
  versions: Record<string, Record<string, unknown>>;
}

/** A registry that answers npm as the one at registry.npmjs.org: https://github.com/npm/registry/blob/main/docs/REGISTRY-API.md */
export interface Registry {
  readonly url: string;
  /** The packages that were published, by name. */
  readonly packages: Map<string, Packument>;
  /** Method and path of each request that writes. */
  readonly writes: string[];
  /** True rejects publications. */
  refuses: boolean;
  stop(): Promise<void>;
}

export async function startRegistry(): Promise<Registry> {
  const server = createServer(async (request, response) => {
    const { method = '', url = '' } = request;
    const answer = (status: number, body: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    const path = decodeURIComponent(url.split('?')[0] ?? '').slice(1);
    const [, name = '', tag] = /^-\/package\/(.+)\/dist-tags(?:\/(.+))?$/.exec(path) ?? [];
    const tagged = registry.packages.get(name);
    if (method === 'GET') {
      const found = tagged ? tagged['dist-tags'] : registry.packages.get(path);
      answer(found ? 200 : 404, found ?? { error: 'Not found' });
      return;
    }
    registry.writes.push(`${method} ${path}`);
    const body = await json(request);
    if (registry.refuses) {
      answer(403, { error: 'the token npm_SECRET may not publish' });
      return;
    }
    if (tagged && tag !== undefined) tagged['dist-tags'][tag] = body as string;
    else registry.packages.set(path, body as Packument);
    answer(201, { ok: true });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const registry: Registry = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    packages: new Map(),
    writes: [],
    refuses: false,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return registry;
}
