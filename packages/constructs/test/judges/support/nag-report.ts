import { readFileSync } from 'node:fs';

interface Report {
  readonly pluginReports: readonly {
    readonly violations: readonly {
      readonly ruleName: string;
      readonly violatingConstructs: readonly { readonly constructPath: string }[];
    }[];
  }[];
}

/** The unacknowledged findings in the `validation-report.json` of an assembly, as `rule construct path`. */
export function findingsIn(file: string): readonly string[] {
  const { pluginReports } = JSON.parse(readFileSync(file, 'utf8')) as Report;
  return pluginReports.flatMap(({ violations }) =>
    violations.flatMap(({ ruleName, violatingConstructs }) =>
      violatingConstructs.map(({ constructPath }) => `${ruleName} ${constructPath}`),
    ),
  );
}
