export function Welcome() {
  return <div className="side" />;
}
