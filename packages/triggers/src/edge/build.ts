import { defineOptions, object, string } from '@sallyport/core/options';
import type { EdgeEventType, EdgeHeaders } from './handler.js';

/** Options of {@link buildEdgeEvent}. */
export interface EdgeEventOptions {
  /** Default `GET`. */
  readonly method?: string;
  /** Default `/`. */
  readonly uri?: string;
  /** Further headers of the request. Default: none. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The status of a response. Default `200`. */
  readonly status?: string;
}

const EDGE_EVENT = /* @__PURE__ */ defineOptions<EdgeEventOptions>()({
  method: /* @__PURE__ */ string.default('GET'),
  uri: /* @__PURE__ */ string.default('/'),
  headers: /* @__PURE__ */ object<Readonly<Record<string, string>>>(),
  status: /* @__PURE__ */ string.default('200'),
});

/** An event of CloudFront, in the form of its documentation. */
export interface EdgeEvent {
  /** One record. */
  readonly Records: {
    readonly cf: {
      readonly config: {
        readonly distributionDomainName: string;
        readonly distributionId: string;
        readonly eventType: EdgeEventType;
        readonly requestId: string;
      };
      readonly request: {
        readonly clientIp: string;
        readonly method: string;
        readonly uri: string;
        readonly querystring: string;
        readonly headers: EdgeHeaders;
      };
      readonly response?: {
        readonly status: string;
        readonly statusDescription: string;
        readonly headers: EdgeHeaders;
      };
    };
  }[];
}

/**
 * Builds the event of a Lambda@Edge function.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/lambda-event-structure.html
 * @throws FrameworkError `app.invalid_configuration` for an unknown option or a wrong type
 * @example buildEdgeEvent('viewer-request', { uri: '/Index.html' });
 */
export function buildEdgeEvent(eventType: EdgeEventType, options: EdgeEventOptions = {}): EdgeEvent {
  const { method, uri, headers = {}, status } = EDGE_EVENT.parse(options);
  const listed = Object.entries({ Host: 'd1.cloudfront.net', ...headers }).map(
    ([key, value]): [string, { key: string; value: string }[]] => [key.toLowerCase(), [{ key, value }]],
  );
  const config = {
    distributionDomainName: 'd1.cloudfront.net',
    distributionId: 'DISTRIBUTION1',
    eventType,
    requestId: 'request-1',
  };
  const request = { clientIp: '203.0.113.1', method, uri, querystring: '', headers: Object.fromEntries(listed) };
  const response = { status, statusDescription: 'OK', headers: {} };
  return { Records: [{ cf: { config, request, ...(eventType.endsWith('response') && { response }) } }] };
}
