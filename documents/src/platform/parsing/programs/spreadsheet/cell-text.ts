const MS_PER_DAY = 86_400_000;

/** A date as ISO 8601 writes it, without a time where it is midnight; hours alone for a moment before the first day of a calendar. */
export function dateText(date: Date, isTimeAlone = false): string {
  const iso = date.toISOString();
  const time = iso.slice(11, 19);
  if (isTimeAlone) return time;
  return date.getTime() % MS_PER_DAY === 0 ? iso.slice(0, 10) : `${iso.slice(0, 10)} ${time}`;
}

/** A number in a format, but with all its digits where the format is the general one. */
export function numberText(value: number, format: string | undefined, shown: string | undefined): string {
  return format === undefined || format === '' || format === 'General' ? String(value) : (shown ?? String(value));
}
