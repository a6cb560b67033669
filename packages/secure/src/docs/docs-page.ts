import { createHash } from 'node:crypto';
import type { Handler } from '@sallyport/core';
import { isPlainObject, membersOf, statedOf } from '@sallyport/core/internal';
import { defineOptions, kind, oneOf, text } from '@sallyport/core/options';
import {
  HTTP_ERROR_FORMAT_FLAT_LEGACY,
  HTTP_ERROR_FORMAT_NESTED,
  HTTP_ERROR_FORMAT_PROBLEM,
  type HttpErrorFormat,
  html,
  json,
} from '@sallyport/http';
import type { OpenApiDocument } from '@sallyport/http/openapi';
import type { SecureRouteRecord } from '../container.js';
import { buildSecureDocument, type DocumentedRegistration, routesOf, toInventorySpec } from '../openapi/document.js';
import { isPosture, type Posture } from '../postures/posture.js';
import type { SecureRouteOptions } from '../routes.js';
import { STYLE, toPage } from './internal/page.js';

/** Options of {@link docsPage}; an unknown key is rejected. */
export interface DocsPageOptions {
  /** The callers that can read the page and the document; required, because both list every operation. */
  readonly posture: Posture;
  /** The path of the page, without a slash at its end; the document is at `<path>/openapi.json`. Default `/docs`. */
  readonly path?: string;
  /** The title of the generated document. Default `Operations`. */
  readonly title?: string;
  /** The version of the generated document. Default `0`. */
  readonly version?: string;
  /** The option of the container with this name, for the generated document. Default `nested`. */
  readonly httpErrorFormat?: HttpErrorFormat;
  /**
   * An OpenAPI 3 document, such as `openapi.json` of `sallyport contract`, which has the operations of all functions with their answers and
   * error codes. Default: the operations of the container, with the contracts of their bound handlers.
   */
  readonly document?: Readonly<Record<string, unknown>>;
}

/** Validators and defaults for {@link DocsPageOptions}. */
export const DOCS_PAGE_OPTIONS = /* @__PURE__ */ defineOptions<DocsPageOptions>()({
  posture: kind<Posture>('a posture, such as Authenticated()', isPosture).required(),
  path: kind<string>('a path such as /docs, without a slash at its end', isPath).default('/docs'),
  title: text('a title').default('Operations'),
  version: text('a version').default('0'),
  httpErrorFormat: oneOf(HTTP_ERROR_FORMAT_NESTED, HTTP_ERROR_FORMAT_PROBLEM, HTTP_ERROR_FORMAT_FLAT_LEGACY).default(
    HTTP_ERROR_FORMAT_NESTED,
  ),
  document: kind<Readonly<Record<string, unknown>>>('an OpenAPI document', isPlainObject),
});

function isPath(value: unknown): value is string {
  return typeof value === 'string' && /^(?:\/[\w.~-]+)+$/.test(value);
}

/** The container of a page: `SecureApp`. */
export interface DocsApp {
  /** Registers an HTTP operation. */
  handle(method: string, pattern: string, handler: Handler, posture: Posture, options?: SecureRouteOptions): unknown;
  /** The registered operations. */
  routes(): readonly SecureRouteRecord[];
}

/** A page that was not registered yet. */
export interface DocsPage {
  /**
   * Registers GET of the page and of its document. The document has all operations, even operations that are registered later.
   *
   * @throws FrameworkError `app.bad_request` if a path is already registered
   */
  mount(app: DocsApp): void;
}

/**
 * A page with the operations of a container, and their OpenAPI document. The page has no script and loads nothing from another place: its
 * policy allows only its own style. Both need the same posture.
 *
 * A browser opens the page without an `authorization` header: identify its callers by a cookie, by an authorizer, or by IAM.
 *
 * @throws FrameworkError `app.invalid_configuration`, naming the option
 * @example
 * docsPage({ posture: Authenticated('docs:read') }).mount(app);
 */
export function docsPage(options: DocsPageOptions): DocsPage {
  const { posture, path, document, ...facts } = DOCS_PAGE_OPTIONS.parse(options);
  const link = `${path.slice(path.lastIndexOf('/') + 1)}/openapi.json`;
  return {
    mount(app) {
      // Made with the first request: until then operations are registered.
      let made: { readonly page: string; readonly document: object } | undefined;
      const read = () => {
        if (made) return made;
        const shown = document ?? documentOf(app, facts);
        made = { page: toPage(membersOf(shown), link), document: shown };
        return made;
      };
      const showPage: Handler = () =>
        withHeaders(html(200, read().page), { ...HEADERS, 'content-security-policy': policy() });
      const showDocument: Handler = () => withHeaders(json(200, read().document), HEADERS);
      app.handle('GET', path, showPage, posture, { summary: 'Shows the operations.' });
      app.handle('GET', `${path}/openapi.json`, showDocument, posture, { summary: 'The OpenAPI document.' });
    },
  };
}

type Facts = Pick<ReturnType<typeof DOCS_PAGE_OPTIONS.parse>, 'title' | 'version' | 'httpErrorFormat'>;

/** The document of the registered operations. */
function documentOf(app: DocsApp, { title, version, httpErrorFormat }: Facts): OpenApiDocument {
  const lines = app.routes().filter(({ surface }) => surface === 'http');
  const registrations = lines.map(toRegistration);
  const routes = routesOf(registrations).map((route, index) => {
    const { summary } = membersOf(statedOf(lines[index] ?? {}));
    return typeof summary === 'string' ? { ...route, summary } : route;
  });
  return buildSecureDocument({ ...toInventorySpec(), routes, title, version }, registrations, httpErrorFormat);
}

/** The registration of a line of the inventory, which has its handler. */
function toRegistration(line: SecureRouteRecord): DocumentedRegistration {
  const { surface, method, path, posture: kind, scopes = [], tags = [] } = line;
  const { handler } = membersOf(statedOf(line));
  return {
    route: { surface, method, pattern: path },
    handler: handler as Handler,
    posture: { kind, scopes },
    tags,
  };
}

const HEADERS: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

function withHeaders<R extends { readonly headers: Record<string, string[]> }>(
  response: R,
  headers: Readonly<Record<string, string>>,
): R {
  for (const [name, value] of Object.entries(headers)) response.headers[name] = [value];
  return response;
}

/** Only the style of the page, by its hash (CSP Level 3 section 2.3.1). */
function policy(): string {
  const hash = createHash('sha256').update(STYLE).digest('base64');
  return `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
}
