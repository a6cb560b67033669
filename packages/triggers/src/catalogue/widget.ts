import { defineOptions, object } from '@sallyport/core/options';
import { dashboardWidget, WIDGET_TRIGGER, type WidgetOptions } from '../kinds/widget.js';
import { describeTrigger } from './entry.js';
import { only } from './internal/build.js';

/** Options of {@link buildWidgetEvent}. */
export interface WidgetEventOptions {
  /** Parameters of the widget. Default: none. */
  readonly params?: Readonly<Record<string, unknown>>;
  /** Values of forms. Default: none. */
  readonly forms?: Readonly<Record<string, unknown>>;
}

const WIDGET_EVENT = /* @__PURE__ */ defineOptions<WidgetEventOptions>()({
  params: object<Readonly<Record<string, unknown>>>(),
  forms: object<Readonly<Record<string, unknown>>>(),
});

/** A custom widget, in the form of its documentation. */
export interface WidgetEvent {
  /** The widget and its dashboard. */
  readonly widgetContext: {
    readonly dashboardName: string;
    readonly widgetId: string;
    readonly accountId: string;
    readonly params: Record<string, unknown>;
    readonly forms: { readonly all: Record<string, unknown> };
  };
}

/**
 * Builds the event of a custom widget of a CloudWatch dashboard.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/add_custom_widget_dashboard.html
 * @throws FrameworkError `app.invalid_configuration` for an unknown option or a wrong type
 */
export function buildWidgetEvent(options: WidgetEventOptions = {}): WidgetEvent {
  const { params = {}, forms = {} } = WIDGET_EVENT.parse(options);
  const place = { dashboardName: 'orders', widgetId: 'widget-1', accountId: '123456789012' };
  return { widgetContext: { ...place, params: { ...params }, forms: { all: { ...forms } } } };
}

/** Custom widgets in the catalogue. @internal */
export const WIDGET = /* @__PURE__ */ describeTrigger(WIDGET_TRIGGER, {
  sample: {
    build: buildWidgetEvent,
    events: [[buildWidgetEvent(), undefined]],
    names: [''],
    result: '<p>5</p>',
    register: (handlers, options: WidgetOptions = {}) => dashboardWidget(only(handlers), options),
  },
  docs: {
    section: 'Dashboard widgets',
    rows: [
      [
        '`dashboardWidget(handler, { describe })`; `DashboardWidget`, `WidgetHandler`, `WidgetOptions`, `DashboardView`',
        'custom widgets of CloudWatch dashboards',
      ],
    ],
  },
  construct: null,
  simulate: null,
  aws: {
    author: 'CloudWatch; the dashboard wrote the parameters, a user the forms',
    failure: 'the widget shows an error',
    limit: '6 MB',
    attached: 'the dashboard',
  },
  sizes: { factory: 'dashboardWidget', gzipBytes: 11_700 },
});
