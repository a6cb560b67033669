import { secureHeaders } from '@sallyport/http';
import type { JobLedger } from '@sallyport/jobs';
import { agentCoreTools } from '@sallyport/mcp/agentcore';
import { type RateLimiter, rateLimitMiddleware } from '@sallyport/ratelimit';
import { Authenticated, SecureApp, type SecureOptions } from '@sallyport/secure';
import type { SemanticIndex } from '@sallyport/vectors';
import { type AttachmentsConfig, registerAttachments } from './attachments.js';
import { type AuthConfig, type Connections, createAuth } from './auth.js';
import { createJournal, type Journal, registerEvents } from './events.js';
import { registerGraphQL } from './graphql.js';
import { type Announce, registerHttp } from './http.js';
import { MemoryNotes, type NoteStore } from './notes.js';
import { registerSearch } from './search.js';
import { registerSockets, SENDS } from './sockets.js';
import { createTools, registerTools, type ToolsConfig } from './tools.js';
import { createTriggers } from './triggers.js';

/** The parts that differ between a deployment, the demo and a test. */
export interface NotesConfig {
  readonly auth: AuthConfig;
  /** Default: memory, with one note. */
  readonly notes?: NoteStore;
  readonly connections: Connections;
  readonly limiter: RateLimiter;
  /** Records finished work and work in progress. */
  readonly ledger: JobLedger;
  readonly tools: ToolsConfig;
  /** Finds notes by their meaning. */
  readonly search: SemanticIndex;
  readonly attachments: AttachmentsConfig;
  /** Clock, ids, log and similar values of the container. */
  readonly container?: Pick<
    SecureOptions,
    'clock' | 'cors' | 'ids' | 'environment' | 'log' | 'observability' | 'webSocketClientFactory'
  >;
  /** Sends an event for each new note. Default: no event. */
  readonly announce?: Announce;
}

export interface NotesService {
  readonly app: SecureApp;
  readonly notes: NoteStore;
  readonly journal: Journal;
}

/** Composes the whole service. */
export function createNotesService(config: NotesConfig): NotesService {
  const { auth, connections, limiter, ledger, tools, search, attachments, container, announce } = config;
  const notes = config.notes ?? exampleNotes();
  const journal = createJournal();
  const { discovery, ...gate } = createAuth(auth, connections);
  const server = createTools(notes, tools);
  const surfaces = [
    ...createTriggers(notes, journal),
    agentCoreTools(server, { target: 'notes', posture: Authenticated('notes:read') }),
  ];
  const app = new SecureApp({ ...container, ...gate, onResponse: secureHeaders(), sends: SENDS, surfaces });
  app.use(rateLimitMiddleware({ limiter }));
  registerSearch(app, notes, search);
  registerHttp(app, notes, announce);
  registerAttachments(app, notes, attachments);
  registerSockets(app, connections);
  registerGraphQL(app, notes);
  registerEvents(app, notes, journal, ledger);
  registerTools(app, server, discovery);
  return { app, notes, journal };
}

function exampleNotes(): NoteStore {
  const notes = new MemoryNotes();
  notes.add({ title: 'Milk', text: 'one litre' }, 'ada');
  return notes;
}
