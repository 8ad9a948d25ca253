//! A folder of manifests, changed under a running program.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;
use tokio::time::timeout;
use tokio_util::sync::{CancellationToken, DropGuard};
use uuid::Uuid;
use vitrine_tenant_config::{
    ManifestDirectory, ManifestDirectorySettings, PLATFORM_KEY_BYTES, Plans, Sources, TenantChatbot, TenantDirectory,
    Tenants, TenantsReceiver,
};

/// A change in a file is in force within this time.
const DEADLINE: Duration = Duration::from_secs(10);

fn merchant(name: &str, fields: &str) -> String {
    format!(
        "apiVersion: vitrine.dev/v1alpha1\nkind: Merchant\nmetadata: {{name: {name}}}\n\
         spec:\n  displayName: {name}\n  ownerEmail: owner@{name}.example\n  plan: p-pro\n{fields}---\n"
    )
}

fn chatbot(name: &str, merchant: &str, title: &str) -> String {
    format!(
        "apiVersion: vitrine.dev/v1alpha1\nkind: Chatbot\nmetadata: {{name: {name}}}\n\
         spec:\n  merchantRef: {{name: {merchant}}}\n  title: {title}\n---\n"
    )
}

/// Manifests and state in a folder that vanishes.
struct Folder {
    folder: TempDir,
}

impl Folder {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("manifests")).unwrap();
        Self { folder }
    }

    fn write(&self, file: &str, content: &str) {
        let path = self.manifests().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    fn remove(&self, file: &str) {
        fs::remove_file(self.manifests().join(file)).unwrap();
    }

    fn manifests(&self) -> PathBuf {
        self.folder.path().join("manifests")
    }

    fn state(&self) -> PathBuf {
        self.folder.path().join("state")
    }

    fn open(&self) -> ManifestDirectory {
        let settings = ManifestDirectorySettings {
            manifests: self.manifests(),
            state: self.state(),
            plans: Plans::default(),
            demo_host: Some("shop.localhost:7400".parse().unwrap()),
        };
        let next_id = AtomicU64::new(1);
        let sources = Sources {
            new_merchant_id: Box::new(move || Uuid::from_u128(next_id.fetch_add(1, Ordering::Relaxed).into()).into()),
            new_platform_key: Box::new(|| Ok([9; PLATFORM_KEY_BYTES])),
            ..Sources::system()
        };
        ManifestDirectory::open(settings, sources).unwrap()
    }

    fn start(&self) -> Running {
        let directory = self.open();
        let tenants = directory.subscribe();
        let stop = CancellationToken::new();
        tokio::spawn(directory.run(stop.clone()));
        Running { tenants, _stop: stop.drop_guard() }
    }

    /// Status, reason and message of the Ready condition that was written for a resource.
    fn ready(&self, resource: &str) -> (String, String, String) {
        let yaml = fs::read_to_string(self.state().join("status").join(format!("{resource}.yaml"))).unwrap();
        let written: Value = serde_saphyr::from_str(&yaml).unwrap();
        let conditions = written["status"]["conditions"].as_array().unwrap();
        let ready = conditions.iter().find(|condition| condition["type"] == "Ready").unwrap();
        let text = |field: &str| ready[field].as_str().unwrap().to_owned();
        (text("status"), text("reason"), text("message"))
    }

    fn file_problems(&self) -> Vec<String> {
        let yaml = fs::read_to_string(self.state().join("status/files.yaml")).unwrap();
        let mut written: BTreeMap<String, Vec<String>> = serde_saphyr::from_str(&yaml).unwrap();
        written.remove("problems").unwrap()
    }

    fn paths_of_state(&self, folder: &str) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(self.state().join(folder))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }
}

struct Running {
    tenants: TenantsReceiver,
    _stop: DropGuard,
}

impl Running {
    /// Waits for tenants of which something holds.
    async fn until(&mut self, holds: impl FnMut(&Arc<Tenants>) -> bool) -> Arc<Tenants> {
        Arc::clone(&*timeout(DEADLINE, self.tenants.wait_for(holds)).await.expect("in time").unwrap())
    }

    /// Waits until every change made before this call has been looked at: a later one is in force.
    async fn seen(&mut self, folder: &Folder) -> Arc<Tenants> {
        let name = format!("marker-{}", Uuid::new_v4().simple());
        folder.write(&format!("{name}.yaml"), &merchant(&name, ""));
        self.until(|tenants| tenants.find_by_name(&name).is_some()).await
    }
}

fn find(tenants: &Tenants, merchant: &str, chatbot: &str) -> Option<TenantChatbot> {
    tenants.find_chatbot(tenants.find_by_name(merchant)?.merchant.id, chatbot)
}

fn title(tenants: &Tenants, merchant: &str, chatbot: &str) -> Option<String> {
    Some(find(tenants, merchant, chatbot)?.title.clone())
}

fn acme(title: &str) -> String {
    merchant("acme", "") + &chatbot("support", "acme", title)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_changed_file_changes_the_chatbot_without_a_restart() {
    let folder = Folder::new();
    folder.write("shops/acme.yaml", &acme("Old"));
    let mut running = folder.start();
    let before = Arc::clone(&running.tenants.borrow());
    assert!(before.is_ready(), "everything is there from the start");
    let support = find(&before, "acme", "support").unwrap();
    assert_eq!((support.title.as_str(), support.tenant().sequence), ("Old", 1));

    folder.write("shops/acme.yaml", &acme("New"));
    let after = running.until(|tenants| title(tenants, "acme", "support").as_deref() == Some("New")).await;
    assert_eq!(after.sequence(support.merchant_id()), Some(2));
    assert_eq!(after.find_by_key(&support.key).unwrap().title, "New", "the embed code stays the same");
    let merchants_own = &support.tenant().merchant.key;
    assert_eq!(after.find_by_key(merchants_own).unwrap().name, "support");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_is_not_yaml_keeps_what_it_declared_and_says_where() {
    let folder = Folder::new();
    folder.write("acme.yaml", &acme("Old"));
    let mut running = folder.start();
    let before = Arc::clone(&running.tenants.borrow());

    folder.write("acme.yaml", "apiVersion: vitrine.dev/v1alpha1\nkind: [Merchant\nmetadata: {name: acme}\n");
    let broken = running.seen(&folder).await;
    assert_eq!(broken.find_by_name("acme"), before.find_by_name("acme"));
    for resource in ["merchant-acme", "chatbot-support"] {
        let (status, reason, message) = folder.ready(resource);
        assert_eq!((status.as_str(), reason.as_str()), ("False", "UnreadableFile"), "{resource}");
        assert!(message.starts_with("acme.yaml:"), "{message}");
        assert!(message.ends_with("the last good version stays in force"), "{message}");
    }
    assert_eq!(folder.file_problems().len(), 1);

    folder.write("acme.yaml", &acme("New"));
    running.until(|tenants| title(tenants, "acme", "support").as_deref() == Some("New")).await;
    running.seen(&folder).await;
    assert_eq!(folder.ready("chatbot-support").0, "True");
    assert_eq!(folder.file_problems(), [""; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_invalid_resource_keeps_its_last_good_form_and_holds_up_no_other() {
    let folder = Folder::new();
    folder.write("acme.yaml", &(acme("Old") + &chatbot("faq", "acme", "Old")));
    let mut running = folder.start();

    let invalid = chatbot("faq", "acme", "New") + "  limits: {messageCharacters: 9000}\n";
    folder.write("acme.yaml", &(acme("New") + &invalid.replace("---\n", "")));
    let after = running.until(|tenants| title(tenants, "acme", "support").as_deref() == Some("New")).await;
    assert_eq!(title(&after, "acme", "faq").as_deref(), Some("Old"));
    running.seen(&folder).await;
    let (status, reason, message) = folder.ready("chatbot-faq");
    assert_eq!((status.as_str(), reason.as_str()), ("False", "InvalidSpec"));
    assert!(
        message.starts_with("acme.yaml:22: spec.limits.messageCharacters: 9000 is greater than the maximum of 2000;"),
        "{message}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_is_being_written_loses_nothing() {
    let folder = Folder::new();
    folder.write("acme.yaml", &acme("Old"));
    let mut running = folder.start();
    let whole = acme("Old");
    for part in ["", "# only a comment\n", &whole[..whole.find("spec:").unwrap() - 8], "kind: Merch"] {
        folder.write("acme.yaml", part);
        let tenants = running.seen(&folder).await;
        assert_eq!(title(&tenants, "acme", "support").as_deref(), Some("Old"), "{part:?}");
        assert_eq!(folder.ready("chatbot-support").1, "UnreadableFile", "{part:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deleted_file_removes_its_resources() {
    let folder = Folder::new();
    folder.write("acme.yaml", &merchant("acme", ""));
    folder.write("support.yaml", &chatbot("support", "acme", "Support"));
    let mut running = folder.start();

    folder.remove("support.yaml");
    running.until(|tenants| find(tenants, "acme", "support").is_none()).await;
    folder.write("support.yaml", &chatbot("support", "acme", "Support"));
    folder.remove("acme.yaml");
    running.until(|tenants| tenants.find_by_name("acme").is_none()).await;
    running.seen(&folder).await;
    assert_eq!(
        folder.ready("chatbot-support"),
        (
            "False".to_owned(),
            "MerchantNotFound".to_owned(),
            "there is no merchant acme; the chatbot is not served".to_owned()
        )
    );
    assert!(!folder.paths_of_state("tenants").contains(&"acme.json".to_owned()));
    assert!(!folder.paths_of_state("status").contains(&"merchant-acme.yaml".to_owned()));
    assert!(!folder.paths_of_state("accepted").contains(&"merchant-acme.json".to_owned()));

    folder.write("acme.yaml", &merchant("acme", ""));
    let back = running.until(|tenants| find(tenants, "acme", "support").is_some()).await;
    assert!(back.find_by_name("acme").unwrap().sequence > 2, "a sequence is never used again");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_that_two_files_declare_is_refused_until_one_gives_way() {
    let folder = Folder::new();
    folder.write("acme.yaml", &acme("First"));
    let mut running = folder.start();

    folder.write("other.yaml", &chatbot("support", "acme", "Second"));
    let tenants = running.seen(&folder).await;
    assert_eq!(title(&tenants, "acme", "support").as_deref(), Some("First"));
    let (_, reason, message) = folder.ready("chatbot-support");
    assert_eq!(reason, "DuplicateName");
    assert!(
        message.starts_with("the Chatbot support is declared more than once, at acme.yaml:9 and other.yaml:1;"),
        "{message}"
    );

    folder.write("acme.yaml", &merchant("acme", ""));
    running.until(|tenants| title(tenants, "acme", "support").as_deref() == Some("Second")).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_copied_merchant_does_not_take_over_the_id() {
    let with_id = |name: &str| {
        let id = "{name: NAME, annotations: {vitrine.dev/merchant-id: 018f3c1e-7a44-7c10-9b1e-3d1f0a5b6c7d}}";
        merchant(name, "").replace(&format!("{{name: {name}}}"), &id.replace("NAME", name))
    };
    let folder = Folder::new();
    folder.write("zebra.yaml", &with_id("zebra"));
    let mut running = folder.start();
    let id = running.tenants.borrow().find_by_name("zebra").unwrap().merchant.id;

    folder.write("acme.yaml", &with_id("acme"));
    let tenants = running.seen(&folder).await;
    assert_eq!(tenants.find_by_id(id).unwrap().merchant.name, "zebra", "the older one, not the first by name");
    assert!(tenants.find_by_name("acme").is_none());
    assert_eq!(folder.ready("merchant-acme").1, "IdentityConflict");
    assert_eq!(folder.ready("merchant-zebra").0, "True");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_chatbot_cannot_move_and_a_retired_key_stays_retired() {
    let folder = Folder::new();
    let rotated = |rotation: u32, merchant: &str| {
        chatbot("support", merchant, "Support").replace("---\n", "") + &format!("  keyRotation: {rotation}\n")
    };
    folder.write("shops.yaml", &(merchant("acme", "") + &merchant("other", "")));
    folder.write("support.yaml", &rotated(1, "acme"));
    let mut running = folder.start();
    let before = find(&running.tenants.borrow(), "acme", "support").unwrap();

    for (change, field) in [(rotated(0, "acme"), "spec.keyRotation"), (rotated(1, "other"), "spec.merchantRef")] {
        folder.write("support.yaml", &change);
        let tenants = running.seen(&folder).await;
        assert_eq!(find(&tenants, "acme", "support").unwrap().config(), before.config(), "{field}");
        assert!(find(&tenants, "other", "support").is_none());
        let (_, reason, message) = folder.ready("chatbot-support");
        assert_eq!(reason, "InvalidSpec");
        assert!(message.contains(field), "{message}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restart_keeps_ids_keys_sequences_and_the_last_good_config() {
    let folder = Folder::new();
    folder.write("acme.yaml", &acme("Old"));
    let before = Arc::clone(&folder.open().subscribe().borrow());
    let key_file = folder.state().join("platform-key");
    assert_eq!(fs::metadata(&key_file).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(fs::read(key_file).unwrap(), [9; PLATFORM_KEY_BYTES]);

    let again = Arc::clone(&folder.open().subscribe().borrow());
    assert_eq!(again.find_by_name("acme"), before.find_by_name("acme"));

    folder.write("acme.yaml", "kind: [");
    let broken = Arc::clone(&folder.open().subscribe().borrow());
    assert_eq!(broken.find_by_name("acme"), before.find_by_name("acme"));
    assert_eq!(folder.ready("chatbot-support").1, "UnreadableFile");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_published_config_that_was_changed_by_hand_is_not_trusted() {
    let folder = Folder::new();
    folder.write("acme.yaml", &acme("Old"));
    drop(folder.open());
    let path = folder.state().join("tenants/acme.json");
    let published = fs::read_to_string(&path).unwrap();
    fs::write(&path, published.replace("\"sequence\": 1", "\"sequence\": 6").replace("Old", "Hacked")).unwrap();
    folder.write("acme.yaml", &(merchant("acme", "") + &chatbot("support", "acme", "''")));

    let tenants = Arc::clone(&folder.open().subscribe().borrow());
    let acme = tenants.find_by_name("acme").unwrap();
    assert_eq!(acme.chatbots, [], "neither the invalid chatbot nor the forged one");
    assert_eq!(acme.sequence, 7);
}

#[tokio::test(flavor = "multi_thread")]
async fn files_that_declare_something_else_are_named() {
    let folder = Folder::new();
    folder.write("acme.yaml", &acme("Support"));
    folder.write("bad/kind.yaml", "apiVersion: vitrine.dev/v1alpha1\nkind: Chatbt\nmetadata: {name: x}\n");
    folder.write("bad/name.yml", "apiVersion: vitrine.dev/v1alpha1\nkind: Chatbot\nmetadata: {name: ../../x}\n");
    folder.write("bad/version.yaml", "\n\napiVersion: v1\nkind: Secret\nmetadata: {name: x}\n");
    folder.write("bad/.hidden.yaml", "[");
    folder.write("bad/notes.txt", "[");
    fs::write(folder.manifests().join("bad/bytes.yaml"), [0xff, 0xfe, 0x00]).unwrap();
    let tenants = Arc::clone(&folder.open().subscribe().borrow());
    assert!(find(&tenants, "acme", "support").is_some());
    assert_eq!(
        folder.file_problems(),
        [
            "bad/bytes.yaml:1: the file is not UTF-8 text",
            "bad/kind.yaml:2: kind: unknown kind \"Chatbt\": known are Merchant and Chatbot",
            "bad/name.yml:3: metadata.name: \"../../x\" is not made of lower-case letters, digits and -",
            "bad/version.yaml:3: apiVersion: is \"v1\", expected vitrine.dev/v1alpha1",
        ]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_state_folder_inside_the_manifests_is_no_manifest() {
    let folder = tempfile::tempdir().unwrap();
    let manifests = folder.path().join("manifests");
    fs::create_dir(&manifests).unwrap();
    fs::write(manifests.join("acme.yaml"), acme("Support")).unwrap();
    let settings = ManifestDirectorySettings {
        state: manifests.join("../manifests/state"),
        manifests,
        plans: Plans::default(),
        demo_host: None,
    };
    drop(ManifestDirectory::open(settings.clone(), Sources::system()).unwrap());
    let again = ManifestDirectory::open(settings, Sources::system()).unwrap().subscribe();
    assert_eq!(again.borrow().find_by_name("acme").unwrap().sequence, 1);
    assert_eq!(again.borrow().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_demo_manifests_are_in_force() {
    let folder = Folder::new();
    let demo = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../demo/manifests");
    let mut resources = 0;
    for entry in fs::read_dir(demo).unwrap() {
        let path = entry.unwrap().path();
        folder.write(&path.file_name().unwrap().to_string_lossy(), &fs::read_to_string(&path).unwrap());
    }
    let tenants = Arc::clone(&folder.open().subscribe().borrow());
    for name in folder.paths_of_state("status") {
        if name != "files.yaml" {
            let resource = name.trim_end_matches(".yaml");
            assert_eq!(folder.ready(resource).0, "True", "{resource}: {:?}", folder.ready(resource));
            resources += 1;
        }
    }
    assert_eq!((tenants.len(), resources), (2, 6));
    assert_eq!(tenants.find_by_name("zadelhoek").unwrap().default_chatbot().unwrap().name, "zadelhoek-nl");
    assert_eq!(tenants.find_by_name("negin").unwrap().default_chatbot().unwrap().name, "negin-fa");
}

#[tokio::test(flavor = "multi_thread")]
async fn another_process_reads_what_is_published() {
    let folder = Folder::new();
    let reader = TenantDirectory::open(folder.state().join("tenants"));
    let mut reading = Running { tenants: reader.subscribe(), _stop: CancellationToken::new().drop_guard() };
    assert!(!reading.tenants.borrow().is_ready(), "no folder is no list");
    let stop = CancellationToken::new();
    tokio::spawn(reader.run(stop.clone()));
    let _stop = stop.drop_guard();

    folder.write("acme.yaml", &acme("Old"));
    let _writing = folder.start();
    let read = reading.until(|tenants| title(tenants, "acme", "support").as_deref() == Some("Old")).await;
    assert!(read.is_ready());

    let path = folder.state().join("tenants/acme.json");
    let forged = fs::read_to_string(&path).unwrap().replace("Old", "Hacked");
    fs::write(&path, forged).unwrap();
    folder.write("other.yaml", &merchant("other", ""));
    let read = reading.until(|tenants| tenants.find_by_name("other").is_some()).await;
    assert_eq!(title(&read, "acme", "support").as_deref(), Some("Old"));

    folder.write("acme.yaml", &acme("New"));
    reading.until(|tenants| title(tenants, "acme", "support").as_deref() == Some("New")).await;
    folder.remove("acme.yaml");
    reading.until(|tenants| tenants.find_by_name("acme").is_none()).await;
}
