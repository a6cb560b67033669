import type { Group, Section } from './parts.js';
import { sectionsOf } from './sections.js';
import type { AlarmFacts, Service } from './service.js';

/** Settings of a page. */
export interface PageSettings {
  /** The address of the general page, to which the alarms link. */
  readonly general: string;
  /** Physical names by logical id, of a deployed stack; empty if no stack is named. */
  readonly names: ReadonlyMap<string, string>;
}

/** A runbook, and what it could not describe. */
export interface Runbook {
  readonly markdown: string;
  /** Alarms that belong to no section, and registrations without a resource. */
  readonly findings: readonly string[];
}

const GROUPS: readonly Group[] = ['Functions', 'Doors', 'Sources', 'Stores', 'Tools'];

/** The runbook of a service. */
export function renderRunbook(service: Service, settings: PageSettings): Runbook {
  const sections = sectionsOf(service);
  const owners = service.alarms.map((alarm) => [alarm, sections.find((section) => watches(section, alarm))] as const);
  const body = GROUPS.flatMap((group) => {
    const own = sections.filter((section) => section.group === group);
    return own.length === 0 ? [] : [`## ${group}`, ...own.map((section) => renderSection(section, service, settings))];
  });
  const markdown = [head(service, settings), alarmTable(owners, settings), ...body].join('\n\n');
  const unowned = owners
    .filter(([, section]) => section === undefined)
    .map(([{ id }]) => `the alarm ${id} belongs to no part`);
  const lost = service.registrations.sources
    .filter(({ name }) => name !== '' && !sections.some(({ title }) => title.endsWith(` ${name}`)))
    .map(({ kind, name }) => `the ${kind} "${name}" is registered, and the template has no resource for it`);
  return { markdown: `${markdown}\n`, findings: [...unowned, ...new Set(lost)] };
}

function watches({ resources, group }: Section, { refersTo, of }: AlarmFacts): boolean {
  if (resources.some((id) => refersTo.has(id))) return true;
  // A metric of the application has no reference to a resource: it belongs to the function.
  return refersTo.size === 0 && group === 'Functions' && /Function|^$/.test(of);
}

function head({ template }: Service, { general, names }: PageSettings): string {
  const { stack } = template;
  const lookUp =
    names.size > 0
      ? [...names].map(([id, name]) => `    ${id}) echo '${name}' ;;`)
      : [
          `    *) aws cloudformation describe-stack-resource --stack-name ${stack} --logical-resource-id "$1" --query StackResourceDetail.PhysicalResourceId --output text ;;`,
        ];
  const dashboards = template.resources.filter(({ type }) => type === 'AWS::CloudWatch::Dashboard');
  const links = dashboards.map(
    ({ id }) => `echo "https://console.aws.amazon.com/cloudwatch/home#dashboards/dashboard/$(name ${id})"`,
  );
  return [
    `# Runbook of ${stack}`,
    '<!-- Made by `sallyport runbook` from the template and the inventory. Run it again after a deployment. -->',
    `Start with the section of the alarm that went off. [The general page](${general}) explains each kind of alarm, each error code and each metric.`,
    '## Before you start',
    'Sign in to the account and region of the stack. The commands of this page look up physical names with this function:',
    `\`\`\`sh\nname() {\n  case "$1" in\n${lookUp.join('\n')}\n  esac\n}\n\`\`\``,
    'What differs from the template, such as a disabled mapping or a missing permission:',
    `\`\`\`sh\nnpx sallyport doctor ${stack}\n\`\`\``,
    ...(links.length > 0
      ? [
          'The dashboard shows all metrics with the thresholds of their alarms:',
          `\`\`\`sh\n${links.join('\n')}\n\`\`\``,
        ]
      : []),
  ].join('\n\n');
}

function alarmTable(
  owners: readonly (readonly [AlarmFacts, Section | undefined])[],
  { general }: PageSettings,
): string {
  if (owners.length === 0) return '## Alarms\n\nThe stack has no alarms: pass `alarmTopic` to the construct `Service`.';
  const rows = owners.map(([{ id, title, link, threshold }, section]) => {
    const part = section ? `[${section.title}](#${anchorOf(section.title)})` : '';
    return `| ${title} (\`${id}\`) | ${threshold} | ${part} | ${meaning(link, general)} |`;
  });
  return ['## Alarms', ['| alarm | at | part | meaning |', '|---|---|---|---|', ...rows].join('\n')].join('\n\n');
}

function meaning(link: string, general: string): string {
  const [, anchor] = /#([\w-]+)$/.exec(link) ?? [];
  return anchor === undefined ? '' : `[${anchor.replaceAll('-', ' ')}](${general}#${anchor})`;
}

function renderSection(section: Section, service: Service, { general }: PageSettings): string {
  const { title, does, look, act, lost } = section;
  const alarms = service.alarms
    .filter((alarm) => watches(section, alarm))
    .map(({ id, title: name, link, threshold }) => `- ${name}, at ${threshold} (\`${id}\`): ${meaning(link, general)}`);
  return [
    `### ${title}`,
    does,
    `**Alarms.** ${alarms.length === 0 ? 'None.' : ''}`.trim(),
    ...(alarms.length === 0 ? [] : [alarms.join('\n')]),
    '**First look.**',
    ...look,
    '**What to do.**',
    ...act,
    `**If nothing is done.** ${lost}`,
  ].join('\n\n');
}

/** The anchor of a heading on GitHub. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');
}
