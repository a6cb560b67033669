import type { SendForm } from '../../src/internal/console/api.js';

/** A form whose fields begin with the samples of a target. */
export function withTargetSamples(form: SendForm, target: string | undefined): SendForm {
  const samples = form.samples?.[target ?? form.targets[0] ?? ''];
  if (!samples) return form;
  const fields = form.fields.map((field) => {
    const sample = samples[field.name];
    return sample === undefined ? field : { ...field, sample };
  });
  return { ...form, fields };
}
