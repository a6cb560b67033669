import * as z from 'zod';

/** The fields of a note. The same declarations validate requests and describe the service. */
export const NoteInput = z.object({
  title: z.string().min(1).max(200),
  text: z.string().max(10_000),
});

/** The fields of a note that a client gets, in the order in which they are written. */
export const NoteView = z.object({ id: z.string(), ...NoteInput.shape, authorId: z.string() });

export const NoteChange = NoteInput.partial();

export const NoteParams = z.object({ id: z.string() });

export const PageQuery = z.object({ limit: z.coerce.number().int().min(1).max(100).default(100) });

export const Greeting = z.object({ name: z.string().min(1) });

/** The name of a file is part of a key in the bucket: it must not contain a slash or consist of dots only. */
export const AttachmentParams = z.object({ id: z.string(), name: z.string().regex(/^\w[\w.-]{0,99}$/) });
export type AttachmentParams = z.infer<typeof AttachmentParams>;

/** The types of attachments: browsers execute none when they open the address of the attachment. */
export const AttachmentType = z.enum(['image/png', 'image/jpeg', 'application/pdf']);

/** The data of a browser about the file to upload. The grant checks the rest. */
export const Upload = z.object({
  contentLength: z.number().int().min(1),
  contentType: AttachmentType,
  checksumSha256: z.string(),
});
