import { Logger } from '@aws-lambda-powertools/logger';
import { SecureApp } from '@sallyport/secure';
import { type Context as Ctx } from '@sallyport/core';
import './tracing.js';

export const log = new Logger({ serviceName: 'orders' });

/** Who calls: the gateway in front has checked the key. */
const whoCalls = (ctx: Ctx) => ctx.header('x-acme-user') ?? '';

export const app = new SecureApp({
  tier: 'p2',
  limits: { maxRequestBytes: 262_144 },
  /* authHook: whoCalls */ // until the new gateway is there
  cors: { allowedOrigins: ['https://shop.example'] },
});
