import { createApp } from '@sallyport/dispatch/app';
import {
  appSyncEvents,
  cognitoTrigger,
  customResource,
  directInvoke,
  firehoseTransform,
  kafkaTrigger,
  s3Batch,
  s3Trigger,
  sesTrigger,
  tokenAuthorizer,
} from '@sallyport/triggers';
import { z } from 'zod';

/** Behaviour of the handlers of this function, by the variable `HOSTILE`. */
const DEEDS: Readonly<Record<string, () => unknown>> = {
  bigint: () => ({ n: 10n }),
  cycle: () => {
    const value: Record<string, unknown> = {};
    value.self = value;
    return value;
  },
  large: () => ({ text: 'x'.repeat(10_000_000) }),
  throws: () => {
    throw Object.defineProperty(new Error('x'), 'message', {
      get() {
        throw new Error('hostile');
      },
    });
  },
};
const hostile = DEEDS[process.env.HOSTILE ?? ''] as () => never;
const resource = () => ({ data: hostile() });

const app = createApp({
  log: false,
  surfaces: [
    s3Trigger().bucket('uploads', hostile),
    directInvoke().invoke('a', z.any(), hostile),
    tokenAuthorizer(hostile),
    cognitoTrigger().on('PreSignUp_*', hostile),
    customResource(
      { create: resource, update: resource, delete: resource },
      { responseHosts: [process.env.RESPONSE_HOST ?? ''] },
    ),
    sesTrigger({ onError: 'stop' }).rule(hostile),
    kafkaTrigger({ onFailure: 'report' }).topic('orders', hostile),
    firehoseTransform(hostile),
    s3Batch(hostile),
    appSyncEvents().publish('/news/*', hostile),
  ],
});

export const { handleLambda } = app;
