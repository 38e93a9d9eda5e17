/** The provider of a model, judged by its name; undefined when the name could belong to several. */
export function providerOf(model: string): 'anthropic' | 'openai' | undefined {
  const name = model.toLowerCase();
  if (name.startsWith('claude')) return 'anthropic';
  return name.startsWith('gpt-') || /^o\d/.test(name) ? 'openai' : undefined;
}
