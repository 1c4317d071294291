export function Tools() {
  return <div className="side" />;
}
