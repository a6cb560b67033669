import type { DoorPage } from './front-doors.js';

/** The text of `docs/front-doors.md`. Fixtures test our behaviour; a claim about AWS names its source. */
export const FRONT_DOORS: DoorPage = {
  columns: [
    { title: 'gateway v2', note: 'API Gateway HTTP API, payload 2.0', doors: ['gateway-v2'] },
    { title: 'function URL', note: 'Lambda function URL', doors: ['function-url'] },
    { title: 'gateway v1', note: 'API Gateway REST API; HTTP API with payload 1.0', doors: ['rest', 'http-api-1.0'] },
    { title: 'load balancer', note: 'ALB, single-value and multi-value headers', doors: ['alb-single', 'alb-multi'] },
    { title: 'WebSocket', note: 'API Gateway WebSocket API', doors: ['websocket'] },
  ],
  sources: {
    payloads: {
      title: 'API Gateway: Lambda proxy integrations for HTTP APIs (payload formats)',
      url: 'https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html',
      says: 'names in lower case; repeated headers and query values joined with commas in 2.0; cookies in a separate list; both answer formats',
    },
    'live-paths': {
      title: 'middleapi/standard-server #93, on live captures',
      url: 'https://github.com/middleapi/standard-server/pull/93',
      says: 'HTTP APIs deliver the path decoded, in payload 2.0 and 1.0; REST APIs, function URLs and load balancers as sent',
    },
    stage: {
      title: 'dougmoscrop/serverless-http #143',
      url: 'https://github.com/dougmoscrop/serverless-http/pull/143',
      says: 'HTTP APIs put the name of the stage at the start of the path; REST APIs do not',
    },
    urls: {
      title: 'Lambda: invoking function URLs',
      url: 'https://docs.aws.amazon.com/lambda/latest/dg/urls-invocation.html',
      says: 'requests and answers in payload format 2.0',
    },
    'url-cookies': {
      title: 'lambda_http: function URL request of its tests',
      url: 'https://docs.rs/crate/lambda_http/1.1.2/source/tests/data/lambda_function_url_request.json',
      says: 'function URLs send cookies in the list and in the header',
    },
    rest: {
      title: 'API Gateway: Lambda proxy integrations for REST APIs',
      url: 'https://docs.aws.amazon.com/apigateway/latest/developerguide/set-up-lambda-proxy-integrations.html',
      says: 'both header maps and both query maps in the event, both header maps in the answer',
    },
    'rest-binary': {
      title: 'API Gateway: binary media types for REST APIs',
      url: 'https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-payload-encodings.html',
      says: 'binary answers need binaryMediaTypes; the first Accept header is used; streamed answers need none',
    },
    'rest-mapping': {
      title: 'CodeGenieApp/serverless-express #86',
      url: 'https://github.com/CodeGenieApp/serverless-express/issues/86',
      says: 'with a custom domain the path of a REST API begins with the mapping',
    },
    'rest-stream': {
      title: 'API Gateway: response streaming with Lambda proxy integrations',
      url: 'https://docs.aws.amazon.com/apigateway/latest/developerguide/response-transfer-mode-lambda.html',
      says: 'REST APIs stream with responseTransferMode STREAM',
    },
    alb: {
      title: 'Elastic Load Balancing: Lambda functions as targets',
      url: 'https://docs.aws.amazon.com/elasticloadbalancing/latest/application/lambda-functions.html',
      says: 'one of two header maps, the same in event and answer; statusDescription; response JSON of at most 1 MB; WebSockets are not supported',
    },
    'alb-query': {
      title: 'jeremydaly/lambda-api #132',
      url: 'https://github.com/jeremydaly/lambda-api/pull/132',
      says: 'load balancers leave query names and values encoded',
    },
    quotas: {
      title: 'Lambda quotas',
      url: 'https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html',
      says: '6 MB of payload each way for synchronous invocations',
    },
    streaming: {
      title: 'Lambda: response streaming',
      url: 'https://docs.aws.amazon.com/lambda/latest/dg/configuration-response-streaming.html',
      says: 'function URLs with RESPONSE_STREAM and API Gateway stream up to 200 MB',
    },
    'ws-quotas': {
      title: 'API Gateway: quotas of WebSocket APIs',
      url: 'https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-execution-service-websocket-limits-table.html',
      says: 'messages of at most 128 KB',
    },
    'ws-connect': {
      title: 'API Gateway: $connect and $disconnect',
      url: 'https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-websocket-api-route-keys-connect-disconnect.html',
      says: 'the connection is made when the integration of $connect answers with success',
    },
    'http-cors': {
      title: 'API Gateway: CORS for HTTP APIs',
      url: 'https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-cors.html',
      says: 'a CORS configuration of the API answers preflights itself and ignores CORS headers of the integration',
    },
  },
  rows: [
    {
      title: 'path',
      cells: [
        {
          words:
            'arrives decoded and with the name of the stage in front; the stage is removed once, the remaining path is routed',
          fixtures: ['doors/path-gateway-v2', 'doors/stage-removed', 'doors/stage-root', 'doors/stage-default'],
          sources: ['live-paths', 'stage'],
        },
        {
          words: 'arrives as sent; parameters are decoded once',
          fixtures: ['doors/path-function-url', 'doors/stage-kept-function-url'],
          sources: ['live-paths'],
        },
        {
          words:
            'REST: as sent, without a stage. Payload 1.0 (`version: "1.0"`): decoded, a named stage is removed once',
          fixtures: [
            'doors/path-gateway-v1',
            'doors/stage-kept-gateway-v1',
            'doors/path-http-api-v1',
            'doors/stage-removed-http-api-v1',
          ],
          sources: ['live-paths', 'stage'],
        },
        {
          words: 'arrives as sent; parameters are decoded once',
          fixtures: ['doors/path-load-balancer', 'doors/request-load-balancer-multi'],
          sources: ['live-paths'],
        },
        {
          words: 'always `/`; the route key selects the handler',
          fixtures: ['sockets/connect-request', 'sockets/custom-route'],
        },
      ],
    },
    {
      title: 'query',
      cells: [
        {
          words: '`rawQueryString`, decoded once; the map only if it is empty',
          fixtures: ['doors/query-raw-gateway-v2', 'doors/query-map-gateway-v2'],
          sources: ['payloads'],
        },
        {
          words: '`rawQueryString`, decoded once; the map only if it is empty',
          fixtures: ['doors/query-raw-function-url', 'doors/query-map-function-url'],
          sources: ['urls'],
        },
        {
          words: 'the multi-value map, then names that only the other map has; decoded by AWS',
          fixtures: ['doors/query-gateway-v1', 'doors/query-http-api-v1'],
          sources: ['rest', 'payloads'],
        },
        {
          words: 'the map of the mode; arrives encoded, names and values are decoded once',
          fixtures: ['doors/query-load-balancer', 'doors/query-load-balancer-multi'],
          sources: ['alb-query'],
        },
        {
          words: 'only of `$connect`',
          fixtures: ['sockets/connect-request', 'sockets/message-request'],
        },
      ],
    },
    {
      title: 'headers',
      cells: [
        {
          words:
            'one value for each name; AWS has joined repeated headers with `,`, and values are not split at commas',
          fixtures: ['doors/request-gateway-v2', 'doors/headers-comma'],
          sources: ['payloads'],
        },
        {
          words: 'as gateway v2',
          fixtures: ['doors/request-function-url'],
          sources: ['urls'],
        },
        {
          words:
            'the multi-value map, then names that only the other map has, compared without case; names in lower case',
          fixtures: ['doors/headers-two-maps', 'doors/headers-single-map', 'doors/request-http-api-v1'],
          sources: ['rest', 'payloads'],
        },
        {
          words: 'the map of the mode; single-value mode has one value for each name',
          fixtures: ['doors/request-load-balancer', 'doors/request-load-balancer-multi'],
          sources: ['alb'],
        },
        {
          words: 'only of `$connect`, both maps as gateway v1',
          fixtures: ['sockets/connect-request', 'sockets/message-request'],
        },
      ],
    },
    {
      title: 'cookies',
      cells: [
        {
          words: 'the list `cookies`, also shown as the `cookie` header; `headers.cookie` only if the list is empty',
          fixtures: ['doors/cookie-list-gateway-v2', 'doors/cookies-gateway-v2', 'doors/cookie-header-v2'],
          sources: ['payloads'],
        },
        {
          words: 'as gateway v2; AWS also sends the header, the list takes precedence',
          fixtures: ['doors/cookie-list-function-url', 'doors/cookies-function-url'],
          sources: ['urls', 'url-cookies'],
        },
        {
          words: 'the `cookie` header',
          fixtures: ['doors/cookies-gateway-v1', 'doors/cookies-http-api-v1'],
        },
        {
          words: 'the `cookie` header',
          fixtures: ['doors/cookies-load-balancer', 'doors/cookies-load-balancer-multi'],
        },
        {
          words: 'the `cookie` header of `$connect`',
          fixtures: ['sockets/connect-request', 'sockets/message-request'],
        },
      ],
    },
    {
      title: 'body',
      cells: [
        {
          words: 'text, or bytes if `isBase64Encoded` is true; invalid base64 is answered with 400',
          fixtures: ['doors/body-text-gateway-v2', 'doors/body-bytes-gateway-v2', 'doors/base64-malformed-gateway-v2'],
          sources: ['payloads'],
        },
        {
          words: 'as gateway v2',
          fixtures: [
            'doors/body-text-function-url',
            'doors/body-bytes-function-url',
            'doors/base64-malformed-function-url',
          ],
          sources: ['urls'],
        },
        {
          words: 'as gateway v2',
          fixtures: [
            'doors/body-text-gateway-v1',
            'doors/body-bytes-gateway-v1',
            'doors/base64-malformed-gateway-v1',
            'doors/body-text-http-api-v1',
            'doors/body-bytes-http-api-v1',
            'doors/base64-malformed-http-api-v1',
          ],
          sources: ['rest', 'payloads'],
        },
        {
          words: 'as gateway v2',
          fixtures: [
            'doors/body-text-load-balancer',
            'doors/body-bytes-load-balancer',
            'doors/base64-malformed-load-balancer',
            'doors/body-text-load-balancer-multi',
            'doors/body-bytes-load-balancer-multi',
            'doors/base64-malformed-load-balancer-multi',
          ],
          sources: ['alb'],
        },
        {
          words: 'the message, as gateway v2',
          fixtures: ['sockets/message-request', 'sockets/binary-message-in-and-out', 'sockets/malformed-base64'],
        },
      ],
    },
    {
      title: 'answer headers',
      cells: [
        {
          words: '`headers`; repeated headers are joined with `,`',
          fixtures: ['answers/keys-gateway-v2', 'answers/repeats-gateway-v2'],
          sources: ['payloads'],
        },
        {
          words: 'as gateway v2',
          fixtures: ['answers/keys-function-url', 'answers/repeats-function-url'],
          sources: ['urls'],
        },
        {
          words: 'one value in `headers`, several values only in `multiValueHeaders`',
          fixtures: [
            'answers/keys-gateway-v1',
            'answers/repeats-gateway-v1',
            'answers/keys-http-api-v1',
            'answers/repeats-http-api-v1',
          ],
          sources: ['rest', 'payloads'],
        },
        {
          words: 'the map of the mode; single-value mode joins repeated headers with `,`. With `statusDescription`',
          fixtures: [
            'answers/keys-load-balancer',
            'answers/repeats-load-balancer',
            'answers/keys-load-balancer-multi',
            'answers/repeats-load-balancer-multi',
          ],
          sources: ['alb'],
        },
        {
          words: 'as gateway v1; used only for `$connect`',
          fixtures: ['sockets/answer-headers', 'sockets/connect-accepted'],
          sources: ['ws-connect'],
        },
      ],
    },
    {
      title: 'cookies out',
      cells: [
        {
          words: 'the list `cookies`',
          fixtures: ['answers/repeats-gateway-v2', 'answers/set-cookie-header'],
          sources: ['payloads'],
        },
        { words: 'the list `cookies`', fixtures: ['answers/repeats-function-url'], sources: ['urls'] },
        {
          words: 'one in `headers`, several in `multiValueHeaders`',
          fixtures: ['answers/one-cookie-gateway-v1', 'answers/repeats-gateway-v1', 'answers/repeats-http-api-v1'],
          sources: ['rest', 'payloads'],
        },
        {
          words: 'multi-value: a list. Single-value: the second under another spelling of `set-cookie`, with a warning',
          fixtures: ['answers/repeats-load-balancer', 'answers/repeats-load-balancer-multi'],
          sources: ['alb'],
        },
        { words: 'as gateway v1, for `$connect`', fixtures: ['sockets/answer-headers'] },
      ],
    },
    {
      title: 'binary',
      cells: [
        {
          words: 'base64 if the answer has bytes or is not UTF-8; never encoded twice; an empty body remains empty',
          fixtures: ['answers/bytes-gateway-v2', 'answers/bytes-not-utf8', 'answers/empty-bytes'],
          sources: ['payloads'],
        },
        { words: 'as gateway v2', fixtures: ['answers/bytes-function-url'], sources: ['urls'] },
        {
          words: 'as gateway v2; a REST API decodes it to bytes only with `binaryMediaTypes`',
          fixtures: ['answers/bytes-gateway-v1', 'answers/utf8-forced', 'answers/bytes-http-api-v1'],
          sources: ['rest-binary', 'payloads'],
        },
        {
          words: 'as gateway v2',
          fixtures: ['answers/bytes-load-balancer', 'answers/bytes-load-balancer-multi'],
          sources: ['alb'],
        },
        { words: 'as gateway v2', fixtures: ['sockets/bytes-out'] },
      ],
    },
    {
      title: 'size limits',
      cells: [
        {
          words: 'an answer over 6 MB becomes 413',
          fixtures: ['answers/cap-over-gateway-v2'],
          sources: ['quotas'],
        },
        {
          words: 'as gateway v2; 200 MB if streamed',
          fixtures: ['answers/cap-over-function-url', 'pipeline/stream-limit-function-url'],
          sources: ['quotas', 'streaming'],
        },
        {
          words: 'as gateway v2',
          fixtures: ['answers/cap-over-gateway-v1', 'answers/cap-over-http-api-v1', 'pipeline/stream-limit-gateway-v1'],
          sources: ['quotas', 'streaming'],
        },
        {
          words: 'an answer over 1 MB becomes 413',
          fixtures: ['answers/cap-over-load-balancer', 'answers/cap-over-load-balancer-multi'],
          sources: ['alb'],
        },
        { words: 'an answer over 128 KiB becomes 413', fixtures: ['sockets/cap-over'], sources: ['ws-quotas'] },
      ],
    },
    {
      title: 'streaming',
      cells: [
        {
          words: 'a stream is collected up to the size limit',
          fixtures: ['answers/collected-gateway-v2', 'answers/collected-limit'],
        },
        {
          words: 'collected; chunk by chunk through `createLambdaFunctionURLStreamingHandler` and `RESPONSE_STREAM`',
          fixtures: [
            'answers/collected-function-url',
            'pipeline/stream-function-url',
            'pipeline/stream-empty-function-url',
            'answers/sse-chunks-function-url',
          ],
          sources: ['streaming'],
        },
        {
          words:
            'collected; a REST API with `responseTransferMode: STREAM` chunk by chunk through `createGatewayRestStreamingHandler`',
          fixtures: [
            'answers/collected-gateway-v1',
            'answers/collected-http-api-v1',
            'pipeline/stream-gateway-v1',
            'pipeline/stream-empty-gateway-v1',
          ],
          sources: ['rest-stream'],
        },
        {
          words: 'a stream is collected up to the size limit',
          fixtures: ['answers/collected-load-balancer', 'answers/collected-load-balancer-multi'],
        },
        { words: 'a stream is answered with `app.internal`', fixtures: ['sockets/stream-fails-closed'] },
      ],
    },
    {
      title: 'errors',
      cells: [
        {
          words:
            'a framework error is answered with its code; any other error is answered with 500 and a masked message. A stream that fails while it is collected is answered with 500',
          fixtures: ['answers/errors-gateway-v2', 'answers/collected-failure-gateway-v2'],
        },
        {
          words:
            'as gateway v2; when streaming, a failure before the first chunk is an ordinary answer, a later one fails the invocation',
          fixtures: [
            'answers/errors-function-url',
            'answers/collected-failure-function-url',
            'pipeline/stream-fails-first-function-url',
            'pipeline/stream-fails-function-url',
          ],
        },
        {
          words: 'as function URL. An event without a path, from an authorizer or from an agent rejects the invocation',
          fixtures: [
            'answers/errors-gateway-v1',
            'answers/errors-http-api-v1',
            'answers/collected-failure-gateway-v1',
            'answers/collected-failure-http-api-v1',
            'pipeline/stream-fails-gateway-v1',
            'doors/event-without-path',
            'doors/authorizer-event-gateway-v1',
            'doors/authorizer-event-http-api-v1',
          ],
        },
        {
          words: 'as gateway v2',
          fixtures: [
            'answers/errors-load-balancer',
            'answers/collected-failure-load-balancer',
            'answers/errors-load-balancer-multi',
            'answers/collected-failure-load-balancer-multi',
          ],
        },
        {
          words:
            "an answer, always in the nested format; a status of 400 or more for `$connect` rejects the connection. An authorizer's event rejects the invocation",
          fixtures: [
            'sockets/exception-is-masked',
            'sockets/errors-stay-nested',
            'sockets/connect-unknown',
            'doors/authorizer-event-websocket',
          ],
          sources: ['ws-connect'],
        },
      ],
    },
  ],
  notes: [
    {
      words:
        'A REST API needs `binaryMediaTypes` for binary answers (`*/*` for browsers); without it clients receive base64 text.',
      sources: ['rest-binary'],
    },
    {
      words:
        '`%2F` is lost on HTTP APIs: the path arrives decoded, so `/files/a%2Fb` and `/files/a/b` are the same path.',
      sources: ['live-paths'],
    },
    {
      words:
        'CORS settings of an HTTP API override the CORS settings of the framework: the API answers preflights itself and drops the CORS headers of the answer. Configure only one of the two.',
      sources: ['http-cors'],
    },
    {
      words:
        'A custom domain with a base path mapping adds the mapping to the path of a REST API. Set it in the option `basePath`.',
      sources: ['rest-mapping'],
    },
  ],
};
