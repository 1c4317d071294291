export function Footer() {
  return <div className="side" />;
}
