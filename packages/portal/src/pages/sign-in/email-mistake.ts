/** Returns what is wrong with an email address. Only a mail can prove that it exists. */
export function emailMistake(
  email: string,
  t: { readonly required: string; readonly emailInvalid: string },
): string | undefined {
  const text = email.trim();
  if (text === '') return t.required;
  return /^[^\s@]+@[^\s@]+\.?[^\s@]*$/.test(text) ? undefined : t.emailInvalid;
}
