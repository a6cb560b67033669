import { durable, durableExecutions } from '@sallyport/durable';
import type { ObjectStore } from '@sallyport/objectstore';
import { SecureApp, type SecureOptions } from '@sallyport/secure';
import { jwtAuthorizerPrincipal } from '@sallyport/secure/authorizers';
import { payload } from '@sallyport/streams';
import * as z from 'zod';
import type { NoteStore } from './notes.js';

/** A message of the topic: a request for an export. */
const ExportRequest = z.object({ id: z.string().regex(/^[\w-]{1,40}$/), by: z.string().min(1) });
const Decision = z.object({ approved: z.boolean() });

/** Exports with more notes need the approval of another user. */
const FREE_NOTES = 50;
const MAX_NOTES = 10_000;
const DAY_SECONDS = 86_400;

/** The question to the user who approves. Any holder of the callback id can answer: send it to that user only. */
export interface ApprovalQuestion {
  readonly id: string;
  readonly by: string;
  readonly notes: number;
  readonly callbackId: string;
}

/** The parts that differ between a deployment and a test. */
export interface ExportsConfig {
  readonly notes: NoteStore;
  readonly files: { readonly bucket: string; readonly store: Pick<ObjectStore, 'put'> };
  /** Sends the question to the user who approves, for example by mail. */
  readonly ask: (question: ApprovalQuestion) => Promise<unknown> | unknown;
  readonly container?: Pick<SecureOptions, 'clock' | 'ids' | 'environment' | 'log' | 'observability'>;
}

/** The function of exports: it is durable, so an export waits a day for its approval and is written once. */
export function createExports({ notes, files, ask, container }: ExportsConfig): SecureApp {
  const app = new SecureApp({
    ...container,
    principalResolver: jwtAuthorizerPrincipal,
    surfaces: [durableExecutions()],
  });
  app.topic(
    'note-exports',
    payload(
      ExportRequest,
      durable(async (ctx, { id, by }) => {
        const count = await ctx.step('count', async () => (await notes.list(MAX_NOTES)).length);
        if (count > FREE_NOTES) {
          const { approved } = await ctx.callback('approval', Decision, {
            submit: async (callbackId) => {
              await ask({ id, by, notes: count, callbackId });
            },
            timeoutSeconds: DAY_SECONDS,
          });
          if (!approved) return;
        }
        // A result of a step has at most 256 KiB: the notes are in the file, and the result is its key. The key is equal for every attempt, so
        // a second write after a kill replaces the first.
        await ctx.step('write', async ({ signal }) => {
          const ref = { bucket: files.bucket, key: `exports/${id}.json` };
          const payload = new TextEncoder().encode(JSON.stringify(await notes.list(MAX_NOTES)));
          await files.store.put({ ref, payload, contentType: 'application/json' }, { signal });
          return ref.key;
        });
      }),
    ),
  );
  return app;
}
