import {
  createMcpServer,
  type McpDiscovery,
  type McpServer,
  type McpServerOptions,
  type McpStore,
  McpToolError,
  mountMcp,
} from '@sallyport/mcp';
import { Authenticated, type SecureApp } from '@sallyport/secure';
import * as z from 'zod';
import type { NoteStore } from './notes.js';
import { NoteInput, NoteList } from './schemas.js';

export interface ToolsConfig {
  /** The store of sessions, so that any instance can answer. */
  readonly store: McpStore;
  /** Encrypts the data that clients keep between calls. */
  readonly secret: NonNullable<McpServerOptions['secret']>;
}

/** The notes for agents: two tools, a resource for each note, and a prompt. */
export function createTools(notes: NoteStore, { store, secret }: ToolsConfig): McpServer {
  const server = createMcpServer({ name: 'notes', version: '1.0.0', store, secret });
  server.tool(
    'find_notes',
    {
      description: 'Finds notes whose title or text contains a word.',
      input: z.object({ word: z.string().min(1) }),
      output: NoteList,
    },
    async ({ word }) => ({
      structured: { notes: (await notes.list(100)).filter(({ title, text }) => `${title} ${text}`.includes(word)) },
    }),
  );
  server.tool(
    'add_note',
    { description: 'Adds a note.', input: NoteInput, output: z.object({ id: z.string() }), scopes: ['notes:write'] },
    async (input, { principal }) => {
      if (!principal) throw new McpToolError('sign in first');
      return { structured: { id: (await notes.add(input, principal.identity)).id } };
    },
  );
  server.resourceTemplate(
    'notes://{id}',
    { name: 'note', mimeType: 'text/plain' },
    async ({ id }) => (await notes.get(id))?.text,
  );
  server.prompt(
    'summarise',
    { description: 'Asks for a summary of a note.', args: { id: { required: true } } },
    async ({ id }) => `Summarise this note in one sentence:\n\n${(id && (await notes.get(id))?.text) || ''}`,
  );
  return server;
}

/** The tools at `/mcp`, for authenticated agents. */
export function registerTools(app: SecureApp, server: McpServer, discovery: McpDiscovery): void {
  mountMcp(app, server, { posture: Authenticated('notes:read'), discovery });
}
