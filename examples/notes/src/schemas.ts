import * as z from 'zod';

/** The fields of a note. The same declarations validate requests and describe the service; a schema with a name is one type for callers. */
export const NoteInput = z
  .object({
    title: z.string().min(1).max(200),
    text: z.string().max(10_000),
  })
  .meta({ id: 'NoteInput' });

/** The fields of a note that a client gets, in the order in which they are written. */
export const NoteView = z.object({ id: z.string(), ...NoteInput.shape, authorId: z.string() }).meta({ id: 'Note' });

export const NoteList = z.object({ notes: z.array(NoteView) });

export const Health = z.object({ ok: z.boolean() });

export const NoteChange = NoteInput.partial();

export const NoteParams = z.object({ id: z.string() });

export const PageQuery = z.object({ limit: z.coerce.number().int().min(1).max(100).default(100) });

export const Greeting = z.object({ name: z.string().min(1) });
export const Greeted = z.object({ greeting: z.string() });

/** The name of a file is part of a key in the bucket: it must not contain a slash or consist of dots only. */
export const AttachmentParams = z.object({ id: z.string(), name: z.string().regex(/^\w[\w.-]{0,99}$/) });
export type AttachmentParams = z.infer<typeof AttachmentParams>;

/** The types of attachments: browsers execute none when they open the address of the attachment. */
export const AttachmentType = z.enum(['image/png', 'image/jpeg', 'application/pdf']);

/** An attached file. */
export const Attached = z.object({ bytes: z.number().int() });

/** The request with which a browser sends a file to the bucket. */
export const Grant = z.object({
  method: z.string(),
  url: z.string(),
  headers: z.record(z.string(), z.string()),
  expiresAt: z.string(),
});

/** The data of a browser about the file to upload. The grant checks the rest. */
export const Upload = z.object({
  contentLength: z.number().int().min(1),
  contentType: AttachmentType,
  checksumSha256: z.string(),
});
