import type { ServerResponse } from 'node:http';
import type { LambdaContext } from '@sallyport/core';
import { createLambdaFunctionURLStreamingHandler } from '@sallyport/http';
import { Optional, SecureApp } from '@sallyport/secure';
import { type McpStore, mountMcp } from '../src/index.js';
import { type McpTaskEvent, mcpTasks } from '../src/tasks.js';
import { createJudgedServer } from './fixtures.js';
import { AWSLAMBDA, ResponseStream } from './response-stream.js';

interface FunctionUrlAnswer {
  readonly statusCode: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly isBase64Encoded?: boolean;
}

/** The judged function with its two ways out. */
export interface JudgedApp {
  answerBuffered(event: object, context: LambdaContext, outgoing: ServerResponse, end: () => void): Promise<void>;
  answerStreaming(event: object, context: LambdaContext, outgoing: ServerResponse, end: () => void): Promise<void>;
}

Object.assign(globalThis, { awslambda: AWSLAMBDA });

/** The event of a task reaches a separate instance after the answer is sent, as in an asynchronous invocation. */
function invokeLater(store: McpStore, event: McpTaskEvent): void {
  const end = Date.now() + TASK_TIMEOUT_MS;
  setImmediate(() => {
    const context = { awsRequestId: crypto.randomUUID(), getRemainingTimeInMillis: () => end - Date.now() };
    createContainer(store, store)
      .handleLambda(event, context)
      .catch((error: unknown) => {
        process.stderr.write(`judge: task: ${String(error)}\n`);
      });
  });
}

const TASK_TIMEOUT_MS = 90_000;

/** @param shared the store of other instances: tasks may use it after the response of this instance has ended */
function createContainer(store: McpStore, shared: McpStore): SecureApp {
  const server = createJudgedServer(store, (event) => invokeLater(shared, event));
  const app = new SecureApp({ surfaces: [mcpTasks(server)] });
  mountMcp(app, server, { posture: Optional() });
  return app;
}

export function createApp(store: McpStore, shared: McpStore = store): JudgedApp {
  const app = createContainer(store, shared);
  const streaming = createLambdaFunctionURLStreamingHandler(app) as (
    event: object,
    stream: ResponseStream,
    context: LambdaContext,
  ) => Promise<void>;
  return {
    async answerBuffered(event, context, outgoing, end) {
      const answer = (await app.handleLambda(event, context)) as FunctionUrlAnswer;
      end();
      outgoing.writeHead(answer.statusCode, answer.headers);
      outgoing.end(Buffer.from(answer.body ?? '', answer.isBase64Encoded ? 'base64' : 'utf8'));
    },
    async answerStreaming(event, context, outgoing, end) {
      try {
        await streaming(event, new ResponseStream(outgoing), context);
      } finally {
        end();
      }
    },
  };
}
