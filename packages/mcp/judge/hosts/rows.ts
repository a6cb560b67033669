import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { AGENTS, type Person, type SignIn, signInOfSdk2 } from '@sallyport/oauth-lab';
import { OFFICIAL_CLIENTS } from '../../test/support/official-clients.js';
import { type Connect, type ThirdPartyClient, type ThirdPartyClients, VERSIONS } from '../clients/third-party.js';
import { type RunTask, taskOfSdk1, taskOfSdk2 } from './tasks.js';

/** A client library, with the features that a probe uses. */
export interface Host {
  readonly package: string;
  readonly version: string;
  readonly mode?: string;
  connect(url: string): Promise<ThirdPartyClient>;
  /** Signs in, and returns the result of the tool `who`. */
  signIn(url: string, person: Person): Promise<unknown>;
  /** Absent if the library has no tasks. */
  readonly task?: RunTask;
  /** The mode of the client in the host of MCP Apps; absent if the published host code does not accept this client. */
  readonly appMode?: 'auto' | 'legacy' | { readonly pin: string };
}

const require = createRequire(import.meta.url);

/** The version of an installed package. */
function installedVersion(name: string): string {
  const folder = require.resolve.paths(name)?.map((path) => join(path, name, 'package.json')) ?? [];
  for (const file of folder) {
    try {
      return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
    } catch {
      // Not in this folder.
    }
  }
  throw new Error(`${name} is not installed`);
}

const PIN = { pin: '2026-07-28' };
const SDK1 = '@modelcontextprotocol/sdk';
const SDK2 = '@modelcontextprotocol/client';

export function hostsOf(others: ThirdPartyClients): readonly Host[] {
  return [
    official('SDK 1.x', { package: SDK1, signIn: agent('SDK 1.x'), task: taskOfSdk1 }),
    ...(['legacy', 'auto'] as const).map((mode) =>
      official(`SDK 2.x, ${mode}`, {
        ...{ package: SDK2, mode, signIn: agent(`SDK 2.x, ${mode}`), task: taskOfSdk2(mode), appMode: mode },
      }),
    ),
    official('SDK 2.x, pinned', {
      ...{ package: SDK2, mode: PIN.pin, signIn: signInOfSdk2(PIN), task: taskOfSdk2(PIN), appMode: PIN },
    }),
    other('@ai-sdk/mcp', others.aiSdk),
    other('ai-sdk-1', others.aiSdk1),
    other('@langchain/mcp-adapters', others.langchain),
    other('mcp-remote', others.mcpRemote),
  ];
}

function agent(name: string): SignIn {
  const found = AGENTS.find(([known]) => known === name);
  if (!found) throw new Error(`no agent ${name}`);
  return found[1];
}

type OfficialHost = Omit<Host, 'version' | 'connect' | 'signIn'> & { readonly signIn: SignIn };

function official(name: string, { signIn, ...host }: OfficialHost): Host {
  const connect = OFFICIAL_CLIENTS.find(([known]) => known === name)?.[1];
  if (!connect) throw new Error(`no client ${name}`);
  return {
    ...host,
    version: installedVersion(host.package),
    async connect(url) {
      const { callTool, listTools, client, close } = await connect(new URL(url));
      return {
        list: listTools,
        call: callTool,
        async progressOf(tool) {
          const seen: number[] = [];
          await callTool(tool, {}, (progress) => seen.push(progress));
          return seen;
        },
        read: (uri) => client.readResource({ uri }),
        close,
      };
    },
    async signIn(url, person) {
      const signedIn = await signIn({ url: new URL(url), person });
      return signedIn.callTool('who').finally(() => signedIn.close());
    },
  };
}

/** `ai-sdk-1` is the name under which an older version is installed: `npm:@ai-sdk/mcp@1.0.101`. */
function other(name: string, connect: Connect): Host {
  const [, alias, version = ''] = /^(?:npm:(.+)@)?(.+)$/.exec(VERSIONS[name] ?? '') ?? [];
  return {
    package: alias ?? name,
    version,
    connect,
    async signIn(url, person) {
      const signedIn = await connect(url, person);
      return signedIn.call('who').finally(() => signedIn.close());
    },
  };
}
