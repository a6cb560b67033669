import type { LambdaContext, MaybePromise } from '@sallyport/core';
import { membersOf, rejectWithoutEventKey, stringOf } from '@sallyport/core/internal';
import { defineOptions, text } from '@sallyport/core/options';
import type { Delivered, EventHandler, KeylessEventContext } from '@sallyport/streams/delivery';
import { invalidAnswer } from '../errors.js';
import { toJson } from '../internal/answer.js';
import { assertHandler } from '../internal/handlers.js';
import { requiredText, sourceOf } from '../internal/read.js';
import { respond } from '../internal/respond.js';
import { defineTrigger, TriggerSurface } from '../internal/surface.js';

/** A custom widget on a dashboard: https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/add_custom_widget_samples.html. */
export interface DashboardView {
  /** The name of the dashboard. */
  readonly dashboard: string;
  /** The id of the widget. */
  readonly widgetId: string;
  /** Parameters of the widget. */
  readonly payload: Readonly<Record<string, unknown>>;
  /** Values of the forms in the widget. A user of the dashboard wrote them. */
  readonly forms: Readonly<Record<string, unknown>>;
  /** The time range of the dashboard, in milliseconds since 1970; `undefined` if absent. */
  readonly timeRange?: { readonly start: number; readonly end: number };
  /** The member `widgetContext` of the event: theme, size, time zone, period. */
  readonly context: Readonly<Record<string, unknown>>;
}

/** Renders a widget: HTML without scripts as a string, `{ markdown }`, or a value that CloudWatch shows as JSON. */
export type WidgetHandler = (ctx: KeylessEventContext, view: DashboardView) => MaybePromise<unknown>;

/** Options of `dashboardWidget`. An unknown key is rejected. */
export interface WidgetOptions {
  /** The documentation of the widget in Markdown, for `{ "describe": true }`. Default: none. */
  readonly describe?: string;
}

/** Validators and defaults for {@link WidgetOptions}. @internal */
export const WIDGET_OPTIONS = /* @__PURE__ */ defineOptions<WidgetOptions>()({ describe: text('Markdown') });

/** Row, natural key and answer of custom widgets. @internal */
export const WIDGET_TRIGGER = /* @__PURE__ */ defineTrigger({
  kind: 'widget',
  anyOf: [
    [
      { path: 'widgetContext.dashboardName', test: 'text' },
      { path: 'widgetContext.widgetId', test: 'text' },
    ],
  ],
  sample: { widgetContext: { dashboardName: 'd', widgetId: 'w' } },
  // A dashboard renders a widget again and again, and an event has no id.
  key: undefined,
  answer: 'HTML, Markdown or JSON',
});

/** The function of a custom widget of CloudWatch dashboards. */
export class DashboardWidget extends TriggerSurface {
  readonly #handler: EventHandler<never>;
  readonly #describe: string | undefined;

  constructor(handler: WidgetHandler, options: WidgetOptions = {}) {
    super(WIDGET_TRIGGER);
    assertHandler(handler);
    rejectWithoutEventKey(this.kind, handler);
    this.#handler = handler as EventHandler<never>;
    this.#describe = WIDGET_OPTIONS.parse(options).describe;
  }

  protected override read(event: unknown): readonly Delivered[] {
    const { widgetContext, describe } = membersOf(event);
    const context = membersOf(widgetContext);
    const { start, end } = membersOf(context.timeRange);
    const markdown = this.#describe;
    const dashboard = requiredText(this.kind, 'widgetContext.dashboardName', context.dashboardName);
    const record: DashboardView = {
      dashboard,
      widgetId: requiredText(this.kind, 'widgetContext.widgetId', context.widgetId),
      payload: membersOf(context.params),
      forms: membersOf(membersOf(context.forms).all),
      ...(typeof start === 'number' && typeof end === 'number' && { timeRange: { start, end } }),
      context,
    };
    const handler = describe === true && markdown !== undefined ? () => ({ markdown }) : this.#handler;
    return [{ handler, record, id: '', name: '', source: sourceOf(stringOf(dashboard), '') }];
  }

  protected override answer([item]: readonly Delivered[], lambdaContext: LambdaContext | undefined): Promise<unknown> {
    return respond(this.delivery, item as Delivered, lambdaContext, (result) => {
      if (result === undefined) throw invalidAnswer('must be HTML, { markdown } or JSON, not undefined');
      return toJson('the widget', result);
    });
  }
}

/**
 * Makes the surface for a custom widget of CloudWatch dashboards.
 *
 * @throws FrameworkError `app.invalid_configuration` for a handler that is not a function, or a wrong or unknown option
 * @example
 * const widget = dashboardWidget((ctx, { payload }) => `<h1>${escape(payload.title)}</h1>`);
 * const app = new SecureApp({ principalResolver, surfaces: [widget] });
 */
export function dashboardWidget(handler: WidgetHandler, options: WidgetOptions = {}): DashboardWidget {
  return new DashboardWidget(handler, options);
}
