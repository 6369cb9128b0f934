"""What else tells pages that are no article, in the words of each language, parted by |."""

from collections.abc import Mapping

# Titles of pages that are no article, whole.
TITLES: Mapping[str, str] = {
    "block page": """
        access denied|access to this page has been denied|attention required
        |attention required cloudflare|just a moment|are you a robot|human verification
        |bot verification|robot check|verify you are human|403 forbidden|403|error 403
        |request blocked|too many requests|429 too many requests|pardon our interruption
        |zugriff verweigert|accès refusé|acceso denegado|dostęp zabroniony|odmowa dostępu
        |erişim engellendi|доступ запрещен|تم رفض الوصول|访问被拒绝|安全验证
    """,
    "error page": """
        404|404 not found|error 404|404 error|page not found|404 page not found|server error
        |internal server error|500 internal server error|502 bad gateway|503 service unavailable
        |service unavailable|site maintenance|under maintenance|seite nicht gefunden
        |page introuvable|page non trouvée|página no encontrada|nie znaleziono strony
        |strona nie istnieje|sayfa bulunamadı|страница не найдена|الصفحة غير موجودة|页面不存在
        |页面未找到|找不到页面
    """,
    "consent wall": """
        before you continue|before you continue to google|we value your privacy|cookie consent
        |privacy settings|your privacy choices|datenschutzeinstellungen|no cookies|votre vie privée
        |su privacidad
    """,
    "region notice": """
        451 unavailable for legal reasons|unavailable for legal reasons
        |not available in your region|not available in your country
    """,
}

# What speaks of the site or to its reader: no sign by itself, but a sentence of the same notice.
ADDRESS = """
    the website you are|the site you are|this app|more information at|information is available at
    |beyond our control|our website|our websites|our site|our sites|this website|this site
    |on this page|our partners|your browser|your device|your account|your experience|your mind
    |our online edition|for legal reasons|aus rechtlichen gründen|european economic area|log in
    |login|sign in|sign up|all rights reserved|our services|our articles|unserer website
    |unserer webseite|unserer seite|unserer partner|unser angebot|unserem angebot
    |wir empfehlen ihnen|ihr browser|der browser|internet explorer|notre site|nos services
    |votre appareil|nuestro sitio|nuestra web|tu dispositivo|su dispositivo|naszego serwisu
    |naszych serwisów|nasz serwis|nasze treści|nasze artykuły|naszej domeny|sitemizi|sitemizde
    |sitemiz|موقعنا|наш сайт|нашем сайте|нашего сайта|本网站|本站|我们的网站|back to page
    |stay on top of|all access|customer service|mobile devices|e edition|your computer
    |your browser settings|click here|klicken sie|cliquez sur|haz clic|haga clic|kliknij|tıklayın
    |اضغط هنا|in kraft getreten|personenbezogene daten|ihren persönlichen|ihr konto|anzeigen lassen
    |daten die wir|dieser e mail|diese e mail|diese email|de la edición impresa|seguir leyendo
    |przetwarzania|przetwarzanie|dane zbierane|twoją tożsamość|profilowania|administrator danych
    |rodo|للموقع|الموقع الرئيسي|currently unavailable|no longer available|temporarily unavailable
    |latest version of|per month|a month cancel|days free|membership|join today|continue reading
    |to read more|weiterlesen|pozostało|european countries|terms and conditions|agree to the
    |votre pays|votre région|tu país|tu región|su región|error code|for members|try again later
    |check the address|mit abo|im abo|vous acceptez|stimmen sie|by continuing to|en continuant
    |en poursuivant|al continuar|korzystając z|devam ederek|slow down|not a bot|one more step
    |about us|contact us|send us|write to us|app store|google play|tablet or|phone or tablet
    |phone and tablet|on your phone|sign up to|sign up and|join our|tablet und|tablet ve|print this
    |have a tip
"""

# Words of which a long notice, such as a consent wall with all its clauses, has one near its start.
OPENINGS = """
    cookies|cookie|javascript|browser|password|subscription|subscriber|trial|privacy|gdpr|passwort
    |datenschutz|dsgvo|datenschutzerklärung|abonnent|werbeblocker|adblocker|confidentialité
    |navigateur|abonnés|privacidad|navegador|suscripción|contraseña|prywatności|rodo|przeglądarka
    |ciasteczka|adblocka|zgody|osobowych|çerez|çerezler|tarayıcınız|gizlilik|abonelik|ارتباط
    |الخصوصية|متصفحك|конфиденциальности|браузер|подписка
"""
